using MessagePack;
using MessagePack.Formatters;

namespace Ambrosia.InProcess.Tests.Library;

/// <summary>Knows temperatures, and fails for tones.</summary>
internal sealed class TemperatureResolver : IFormatterResolver
{
    public static readonly IFormatterResolver Instance = new TemperatureResolver();

    private readonly TemperatureFormatter _formatter = new();

    private TemperatureResolver()
    {
    }

    public IMessagePackFormatter<T>? GetFormatter<T>() => typeof(T) == typeof(Tone)
        ? throw new InvalidOperationException("tones are out of stock")
        : _formatter as IMessagePackFormatter<T>;
}
