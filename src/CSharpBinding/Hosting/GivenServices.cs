using System.Reflection;
using Ambrosia.Runtime;
using Microsoft.Extensions.DependencyInjection;

namespace Ambrosia.Hosting;

/// <summary>Hands out a host's services to the constructor of one immortal, and finds those that the object would save.</summary>
internal sealed class GivenServices(IServiceProvider services) : IKeyedServiceProvider
{
    private const BindingFlags Declared =
        BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    // What a constructor has made is small; a class that keeps more meets the state's own checks at the first checkpoint.
    private const int MostObjects = 10_000;
    private readonly HashSet<object> _given = new(ReferenceEqualityComparer.Instance);

    /// <inheritdoc/>
    public object? GetService(Type serviceType) => Note(services.GetService(serviceType));

    /// <inheritdoc/>
    public object? GetKeyedService(Type serviceType, object? serviceKey) => Note(Keyed().GetKeyedService(serviceType, serviceKey));

    /// <inheritdoc/>
    public object GetRequiredKeyedService(Type serviceType, object? serviceKey)
    {
        object service = Keyed().GetRequiredKeyedService(serviceType, serviceKey);
        Note(service);
        return service;
    }

    /// <summary>The first service that can be reached through saved fields, and the way to it; null if none can.</summary>
    public (string Path, object Service)? FindSaved(Immortal made)
    {
        var seen = new HashSet<object>(ReferenceEqualityComparer.Instance) { made };
        var open = new Queue<(object Holder, string Path)>([(made, made.GetType().Name)]);
        while (open.TryDequeue(out (object Holder, string Path) next) && seen.Count < MostObjects)
        {
            foreach ((string name, object value) in Parts(next.Holder))
            {
                if (_given.Contains(value))
                {
                    return ($"{next.Path}.{name}", value);
                }

                if (seen.Add(value))
                {
                    open.Enqueue((value, $"{next.Path}.{name}"));
                }
            }
        }

        return null;
    }

    private static IEnumerable<(string Name, object Value)> Parts(object holder)
    {
        if (holder is Array items)
        {
            return holder.GetType().GetElementType()!.IsPrimitive ? []
                : items.Cast<object?>().Where(static item => !IsPlain(item)).Select(static (item, i) => ($"[{i}]", item!));
        }

        return Levels(holder.GetType()).SelectMany(static level => level.GetFields(Declared))
            .Where(static field => !field.FieldType.IsPointer && !field.FieldType.IsByRefLike && !FieldSet.IsNotSaved(field))
            .Select(field => (field.Name, Value: field.GetValue(holder)))
            .Where(static part => !IsPlain(part.Value))
            .Select(static part => (part.Name, part.Value!));
    }

    private static IEnumerable<Type> Levels(Type type)
    {
        for (Type? level = type; level is not null && level != typeof(object); level = level.BaseType)
        {
            yield return level;
        }
    }

    // Values that are the same wherever they come from, and what belongs to the runtime.
    private static bool IsPlain(object? value) =>
        value is null or string or MemberInfo or Assembly or Module || value.GetType().IsPrimitive || value.GetType().IsEnum;

    private object? Note(object? service)
    {
        if (!IsPlain(service) && !service!.GetType().IsValueType)
        {
            _given.Add(service);
        }

        return service;
    }

    private IKeyedServiceProvider Keyed() => services as IKeyedServiceProvider
        ?? throw new InvalidOperationException("The host's container knows no keyed services.");
}
