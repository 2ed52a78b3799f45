using System.Collections;
using System.Reflection;
using Ambrosia.Runtime;

namespace Ambrosia.Builds;

/// <summary>
/// What of an application's code may be meant where code does not say it: overrides of a method, static methods behind an interface's,
/// comparers that a collection was given, lambdas that a delegate may hold.
/// </summary>
/// <param name="own">The application's assemblies.</param>
internal sealed class OwnCode(IReadOnlyList<Assembly> own)
{
    /// <summary>All members that a type itself declares.</summary>
    public const BindingFlags All =
        BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private static readonly Type[] s_comparers =
        [typeof(IComparer<>), typeof(IEqualityComparer<>), typeof(IComparer), typeof(IEqualityComparer)];

    private readonly Lazy<ILookup<string, MethodInfo>> _virtuals = new(() => MethodsOf(own)
        .Where(static method => method.IsVirtual || method.IsStatic).ToLookup(TryKeyOf));

    private readonly Lazy<ILookup<Type, Type>> _implementers = new(() => own.SelectMany(TypesOf)
        .Where(static type => !type.IsInterface && !GeneratedName.IsGenerated(type))
        .SelectMany(static type => Deployed(type.GetInterfaces).Select(of => (Interface: DefinitionOf(of), Type: type)).Distinct())
        .ToLookup(static pair => pair.Interface, static pair => pair.Type));

    private readonly Lazy<ILookup<int, MethodInfo>> _targets = new(() => DelegateTargets.In(own.SelectMany(TypesOf))
        .Where(static method => TryKeyOf(method).Length > 0)
        .ToLookup(static method => method.GetParameters().Length));

    /// <summary>Methods that may run where a virtual one is called: overrides and implementations, of a static one static ones.</summary>
    public IEnumerable<MethodInfo> InPlaceOf(MethodBase called) =>
        _virtuals.Value[TryKeyOf(called)].Where(candidate => candidate.IsStatic == called.IsStatic);

    /// <summary>The methods of this name and number of parameters.</summary>
    public IEnumerable<MethodInfo> Named(string name, int parameters) => _virtuals.Value[$"{name}/{parameters}"];

    /// <summary>Types that an object in a field of another's interface may be of.</summary>
    public IEnumerable<Type> ImplementersOf(Type type) => type.IsInterface ? _implementers.Value[DefinitionOf(type)] : [];

    /// <summary>Comparers that an object of a type of .NET may have been given when it was made.</summary>
    public IEnumerable<Type> ComparersOf(Type type) => DefinitionOf(type).GetConstructors()
        .SelectMany(static constructor => constructor.GetParameters())
        .Select(static parameter => DefinitionOf(parameter.ParameterType)).Where(s_comparers.Contains).Distinct()
        .SelectMany(ImplementersOf);

    /// <summary>
    /// Lambdas, local functions and other methods that a delegate may name, or the delegates in a collection: those that some code of the
    /// application makes a delegate of.
    /// </summary>
    public IEnumerable<MethodInfo> TargetsOf(Type type)
    {
        if (type.HasElementType)
        {
            return TargetsOf(type.GetElementType()!);
        }

        if (!typeof(Delegate).IsAssignableFrom(type))
        {
            return type.IsGenericType && !own.Contains(type.Assembly) ? type.GetGenericArguments().SelectMany(TargetsOf) : [];
        }

        if (type.GetMethod("Invoke") is not { } invoked)
        {
            return _targets.Value.SelectMany(static methods => methods); // Any delegate.
        }

        ParameterInfo[] wanted = invoked.GetParameters();
        return _targets.Value[wanted.Length].Where(target => Fits(invoked.ReturnType, target.ReturnType)
            && wanted.Zip(target.GetParameters()).All(static pair => Fits(pair.First.ParameterType, pair.Second.ParameterType)));
    }

    /// <summary>Whether a virtual method may be called by code of others: it overrides or implements a method of theirs.</summary>
    public bool IsCalledByOthers(MethodInfo method)
    {
        Assembly first = method.GetBaseDefinition().DeclaringType!.Assembly;
        if (first == typeof(OwnCode).Assembly)
        {
            return false; // OnFirstStart is a handler; the others are executed by no message.
        }

        if (method is { IsFinal: true } or { IsPrivate: true } || !own.Contains(first))
        {
            return true;
        }

        string key = TryKeyOf(method);
        return Deployed(method.DeclaringType!.GetInterfaces).Where(type => !own.Contains(type.Assembly))
            .SelectMany(static type => Deployed(type.GetMethods)).Any(implemented => TryKeyOf(implemented) == key);
    }

    /// <summary>The types of an assembly that can be loaded.</summary>
    public static IEnumerable<Type> TypesOf(Assembly assembly)
    {
        try
        {
            return assembly.GetTypes();
        }
        catch (ReflectionTypeLoadException error)
        {
            return error.Types.OfType<Type>();
        }
    }

    /// <summary>The generic type that a type is made of, or itself.</summary>
    public static Type DefinitionOf(Type type) => type.IsGenericType ? type.GetGenericTypeDefinition() : type;

    private static IEnumerable<MethodInfo> MethodsOf(IReadOnlyList<Assembly> own) =>
        own.SelectMany(TypesOf).SelectMany(static type => Deployed(() => type.GetMethods(All)));

    // What mentions a type that is not deployed cannot be used by anybody, and must not hide the rest.
    private static T[] Deployed<T>(Func<T[]> members)
    {
        try
        {
            return members();
        }
        catch (Exception error) when (error is IOException or TypeLoadException or BadImageFormatException)
        {
            return [];
        }
    }

    // A delegate may name a method that takes a base class or returns a derived one.
    private static bool Fits(Type one, Type other) => one == other || one.ContainsGenericParameters || other.ContainsGenericParameters
        || one.IsAssignableFrom(other) || other.IsAssignableFrom(one);

    // A method with a parameter of a type that is not deployed can be called by nobody.
    private static string TryKeyOf(MethodBase method)
    {
        try
        {
            return $"{method.Name[(method.Name.LastIndexOf('.') + 1)..]}/{method.GetParameters().Length}";
        }
        catch (Exception error) when (error is IOException or TypeLoadException or BadImageFormatException)
        {
            return "";
        }
    }
}
