using System.Globalization;

namespace Ambrosia.Protocol.Tests.Support;

/// <summary>What a decoder found, as text by name, and the bytes that an encoder makes of it.</summary>
internal sealed class Fields
{
    private readonly Dictionary<string, string> _values = [];

    /// <summary>The fields as text.</summary>
    public IReadOnlyDictionary<string, string> Values => _values;

    /// <summary>The structure encoded again; null if this build never writes it.</summary>
    public byte[]? Encoded { get; init; }

    public object this[string name]
    {
        set => _values.Add(name, value switch
        {
            bool flag => flag ? "true" : "false",
            byte[] bytes => Convert.ToHexString(bytes).ToLowerInvariant(),
            Guid id => Convert.ToHexString(id.ToByteArray()).ToLowerInvariant(),
            IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
            _ => value.ToString()!,
        });
    }
}
