namespace Ambrosia;

/// <summary>
/// Has MessagePack-CSharp write and read types of one interface that its own attributes do not mark: through this resolver, then through
/// <see cref="ImmortalOptions.Resolver"/>, then through the library's standard one. Without <see cref="Types"/> this goes for classes,
/// structs, records and interfaces that the binding has no form for by itself. It counts for the interface that it stands on, inherited
/// methods included.
/// </summary>
/// <param name="resolver">
/// A type that implements <c>MessagePack.IFormatterResolver</c> and has a public static member <c>Instance</c> or a public constructor
/// without parameters. Default null: only <see cref="ImmortalOptions.Resolver"/> and the standard one.
/// </param>
[AttributeUsage(AttributeTargets.Interface)]
public sealed class ResolverAttribute(Type? resolver = null) : Attribute
{
    /// <summary>The resolver that is asked first; null if there is none.</summary>
    public Type? Resolver { get; } = resolver;

    /// <summary>The types that it is asked for, also in place of the binding's own form. Default: none are listed.</summary>
    public Type[] Types { get; set; } = [];
}
