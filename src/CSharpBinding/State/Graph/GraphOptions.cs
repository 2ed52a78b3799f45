using System.ComponentModel;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>What a state graph may consist of.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class GraphOptions
{
    // Each assembly and what it refers to, so that a state's second reading does not walk them again. It keeps no assembly loaded.
    private static readonly ConditionalWeakTable<Assembly, IReadOnlyList<Assembly>> s_referred = [];

    private readonly IReadOnlyList<Assembly> _assemblies = [typeof(GraphOptions).Assembly];

    /// <summary>The application's assemblies: with the binding's own, the only ones in which a saved type name is looked up.</summary>
    public IReadOnlyList<Assembly> Assemblies
    {
        get => _assemblies;
        init => _assemblies = [.. value.Append(typeof(GraphOptions).Assembly).Distinct()];
    }

    /// <summary>Save and restore objects of the host; the first that can handle a type does.</summary>
    public IReadOnlyList<ObjectHandler> Handlers { get; init; } = [];

    /// <summary>
    /// Reads and writes fields by emitted code, about ten times as fast as by reflection; the bytes are the same. Default true.
    /// </summary>
    public bool Emit { get; init; } = true;

    /// <summary>While a state is converted: which object stands for which; null otherwise.</summary>
    internal Succession? Succession { get; init; }

    /// <summary>Options for the immortal's class: its assembly and all that it refers to, except .NET's own.</summary>
    public static GraphOptions For(Type immortal, params ObjectHandler[] handlers)
    {
        ArgumentNullException.ThrowIfNull(immortal);
        var found = new List<Assembly>(ReferredBy(immortal.Assembly));
        for (Type? type = immortal; type is not null; type = type.BaseType)
        {
            foreach (Type argument in type.GetGenericArguments())
            {
                found.AddRange(ReferredBy(argument.Assembly));
            }
        }
        return new GraphOptions { Assemblies = found, Handlers = handlers };
    }

    /// <summary>Called for each type of the application that a state which is read has in this build; null if nobody asks.</summary>
    internal Action<SavedType>? Found { get; init; }

    /// <summary>The same options for reading a state, and telling its types.</summary>
    internal GraphOptions With(Action<SavedType> found) =>
        new() { Assemblies = Assemblies, Handlers = Handlers, Emit = Emit, Found = found };

    /// <summary>The same options for writing one object as another.</summary>
    internal GraphOptions With(Succession succession) =>
        new() { Assemblies = [.. Assemblies, .. For(succession.From).Assemblies], Handlers = Handlers, Emit = Emit,
            Succession = succession };

    internal bool Contains(Assembly assembly)
    {
        foreach (Assembly known in _assemblies)
        {
            if (ReferenceEquals(known, assembly))
            {
                return true;
            }
        }
        return false;
    }

    internal ObjectHandler? HandlerOf(Type type)
    {
        foreach (ObjectHandler handler in Handlers)
        {
            if (handler.CanHandle(type))
            {
                return handler;
            }
        }
        return null;
    }

    private static IReadOnlyList<Assembly> ReferredBy(Assembly assembly) => s_referred.GetValue(assembly, static root =>
    {
        List<Assembly> found = [];
        Collect(root, found);
        return found;
    });

    private static void Collect(Assembly assembly, List<Assembly> found)
    {
        if (TypeNames.IsFramework(assembly) || found.Contains(assembly))
        {
            return;
        }
        found.Add(assembly);
        foreach (AssemblyName reference in assembly.GetReferencedAssemblies())
        {
            if (!TypeNames.IsFramework(reference))
            {
                try
                {
                    Collect(Assembly.Load(reference), found);
                }
                catch (IOException)
                {
                    // A reference that is not deployed cannot have contributed an object either.
                }
            }
        }
    }
}
