using MessagePack;
using MessagePack.Formatters;
using MessagePack.Resolvers;

namespace Ambrosia.Serialization;

/// <summary>
/// The standard resolver of MessagePack-CSharp, but for types of which it would leave out what they mark: their values would be gone, and
/// nobody would be told.
/// </summary>
internal sealed class LosslessResolver : IFormatterResolver
{
    private LosslessResolver()
    {
    }

    /// <summary>The only one.</summary>
    public static LosslessResolver Instance { get; } = new();

    /// <inheritdoc/>
    /// <exception cref="MessagePackSerializationException">The standard resolver would leave out a member of the type.</exception>
    public IMessagePackFormatter<T>? GetFormatter<T>() => Judged<T>.Loss is { } loss
        ? throw new MessagePackSerializationException(
            $"{loss}, and the standard resolver loses its value. Make it public, mark it [IgnoreMember], or name "
            + $"StandardResolverAllowPrivate")
        : StandardResolver.Instance.GetFormatter<T>();

    private static class Judged<T>
    {
        public static string? Loss { get; } = LostMember.In(typeof(T));
    }
}
