namespace Ambrosia.Protocol;

/// <summary>Texts and numbers that an app tells for people: bounded, and without what acts on a terminal that shows them.</summary>
internal static class ToldText
{
    /// <summary>Longest text, in bytes.</summary>
    public const int MaxBytes = 2048;

    /// <summary>Reads a text.</summary>
    /// <exception cref="ProtocolException">It is too long, or not for people.</exception>
    public static string Read(ref ByteReader reader, string what)
    {
        string text = reader.ReadString(MaxBytes, what);
        return text.Any(char.IsControl) ? throw new ProtocolException($"{what} with control characters", 0) : text;
    }

    /// <summary>Reads a number.</summary>
    /// <exception cref="ProtocolException">It is too large.</exception>
    public static long ReadNumber(ref ByteReader reader, string what) =>
        reader.ReadVarint(what) is <= long.MaxValue and var number ? (long)number : throw new ProtocolException($"{what}: too many", 0);

    /// <summary>Reads a time in ticks.</summary>
    /// <exception cref="ProtocolException">It is after the end of time.</exception>
    public static long ReadTime(ref ByteReader reader, string what) => ReadNumber(ref reader, what) is var ticks
        && ticks <= DateTime.MaxValue.Ticks ? ticks : throw new ProtocolException($"{what}: after the end of time", 0);
}
