using System.Collections.Concurrent;
using System.Reflection;
using MessagePack;
using MessagePack.Resolvers;

namespace Ambrosia.Serialization;

/// <summary>
/// How MessagePack-CSharp writes and reads for one app: the resolvers that are asked, in order, and limits that hold whatever they say.
/// Used by several threads at once.
/// </summary>
/// <param name="resolver">The app's own resolver; null if it has none.</param>
internal sealed class MessagePackLibrary(IFormatterResolver? resolver)
{
    private readonly ConcurrentDictionary<Type, MessagePackSerializerOptions> _ofInterfaces = new();

    /// <summary>The library's standard resolver alone.</summary>
    public static MessagePackLibrary Default { get; } = new(null);

    /// <summary>Asks the app's resolver, then the library's standard one.</summary>
    public MessagePackSerializerOptions Options { get; } = new UntrustedOptions(
        resolver is null ? LosslessResolver.Instance : CompositeResolver.Create(resolver, LosslessResolver.Instance));

    /// <summary>Asks an interface's resolver before the others.</summary>
    /// <exception cref="Exception">It cannot be made.</exception>
    public MessagePackSerializerOptions With<TResolver>()
        where TResolver : IFormatterResolver =>
        _ofInterfaces.TryGetValue(typeof(TResolver), out MessagePackSerializerOptions? options)
            ? options
            : _ofInterfaces.GetOrAdd(typeof(TResolver),
                new UntrustedOptions(CompositeResolver.Create(Make(typeof(TResolver)), Options.Resolver)));

    // As the library's own resolvers are had, or as any object is.
    private static IFormatterResolver Make(Type type)
    {
        const BindingFlags one = BindingFlags.Public | BindingFlags.Static;
        return (type.GetField("Instance", one)?.GetValue(null) ?? type.GetProperty("Instance", one)?.GetValue(null)) as IFormatterResolver
            ?? (IFormatterResolver)Activator.CreateInstance(type)!;
    }
}
