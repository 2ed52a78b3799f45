using System.Collections.Concurrent;
using Ambrosia.Link;

namespace Ambrosia.Runtime;

/// <summary>
/// The proxies of one immortal: one object per type and destination, so that two handlers that hold "the same" proxy hold the same object
/// before and after recovery.
/// </summary>
internal sealed class ProxyTable(ImmortalRuntime runtime)
{
    private readonly ConcurrentDictionary<(Type Type, string Name), ImmortalProxy> _proxies = new();
    private ImmortalProxy? _last;

    /// <summary>The proxy of this type for this destination.</summary>
    public T Get<T>(string name)
        where T : ImmortalProxy, new()
    {
        ArgumentNullException.ThrowIfNull(name);
        if (_last is T last && ReferenceEquals(last.RequestedName, name))
        {
            return last;
        }

        var proxy = (T)Find(typeof(T), name, static _ => new T());
        _last = proxy;
        return proxy;
    }

    /// <summary>As <see cref="Get{T}"/>, for a proxy read from a checkpoint.</summary>
    public ImmortalProxy Get(Type type, string name) => Find(type, name, static type =>
        (ImmortalProxy)(Activator.CreateInstance(type)
            ?? throw new InvalidOperationException($"{type} has no parameterless constructor.")));

    private ImmortalProxy Find(Type type, string name, Func<Type, ImmortalProxy> create)
    {
        Destination destination = runtime.Destinations.Get(name);
        return _proxies.GetOrAdd((type, destination.Name), static (key, arguments) =>
        {
            ImmortalProxy proxy = arguments.create(key.Type);
            proxy.Bind(arguments.runtime, arguments.destination, arguments.name);
            return proxy;
        }, (runtime, destination, name, create));
    }
}
