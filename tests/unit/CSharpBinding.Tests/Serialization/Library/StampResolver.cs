using MessagePack;
using MessagePack.Formatters;

namespace Ambrosia.CSharpBinding.Tests.Serialization.Library;

/// <summary>Knows stamps.</summary>
internal class StampResolver(int factor) : IFormatterResolver
{
    public StampFault Fault { get; init; }

    public IMessagePackFormatter<T>? GetFormatter<T>() => Fault == StampFault.ResolverThrows
        ? throw new InvalidOperationException("no resolver today")
        : typeof(T) == typeof(Stamp) ? (IMessagePackFormatter<T>)(object)new StampFormatter(factor, Fault) : null;
}
