using System.Collections.Concurrent;
using System.Reflection;

namespace Ambrosia.Serialization;

/// <summary>
/// The exceptions that the interfaces of an app declare with <see cref="ThrowsAttribute"/>: those of the immortal's assembly, and of the
/// assemblies that it refers to. It
/// depends on the build alone, so that a replay knows the same.
/// </summary>
internal sealed class DeclaredExceptions
{
    private static readonly ConcurrentDictionary<Assembly, DeclaredExceptions> s_known = new();
    private static readonly string? s_binding = typeof(DeclaredExceptions).Assembly.GetName().Name;
    private readonly Dictionary<string, DeclaredException> _byName = [];

    private DeclaredExceptions(Assembly assembly)
    {
        foreach (Assembly each in Related(assembly))
        {
            foreach (Type type in each.GetTypes().Where(static type => type.IsInterface
                && (type.IsDefined(typeof(ImmortalInterfaceAttribute), inherit: false)
                    || type.IsDefined(typeof(EffectInterfaceAttribute), inherit: false))))
            {
                IEnumerable<ThrowsAttribute> declared = type.GetCustomAttributes<ThrowsAttribute>()
                    .Concat(type.GetMethods().SelectMany(static method => method.GetCustomAttributes<ThrowsAttribute>()));
                foreach (Type exception in declared.Select(static each => each.Exception)
                    .Where(static each => each.IsSubclassOf(typeof(Exception)) && !each.IsAbstract))
                {
                    _byName.TryAdd(exception.FullName!, new DeclaredException(exception));
                }
            }
        }
    }

    /// <summary>Those that an immortal of this class sends and receives.</summary>
    public static DeclaredExceptions Of(Type immortal) =>
        s_known.GetOrAdd(immortal.Assembly, static assembly => new DeclaredExceptions(assembly));

    /// <summary>The exception of this type; null if no interface declares it.</summary>
    public DeclaredException? Find(string typeName) => _byName.GetValueOrDefault(typeName);

    // An assembly that does not know the binding declares no interface; loading it for nothing would cost a start.
    private static IEnumerable<Assembly> Related(Assembly assembly) => assembly.GetReferencedAssemblies()
        .Where(static name => name.Name is { } text && !text.StartsWith("System", StringComparison.Ordinal)
            && !text.StartsWith("Microsoft", StringComparison.Ordinal))
        .Select(TryLoad).OfType<Assembly>()
        .Where(static each => Array.Exists(each.GetReferencedAssemblies(), static name => name.Name == s_binding))
        .OrderBy(static each => each.FullName, StringComparer.Ordinal)
        .Prepend(assembly);

    private static Assembly? TryLoad(AssemblyName name)
    {
        try
        {
            return Assembly.Load(name);
        }
        catch (Exception error) when (error is IOException or BadImageFormatException)
        {
            return null; // Referred to and not there: nothing of it is used.
        }
    }
}
