namespace Ambrosia.Protocol;

/// <summary>The other side broke a rule of a protocol. The connection is closed; nothing accepted before is lost.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ProtocolException(string rule, long offset)
    : Exception($"{rule} (at byte {offset})")
{
    /// <summary>The rule that was broken, as one phrase.</summary>
    public string Rule { get; } = rule;

    /// <summary>Offset, in bytes, inside the frame or message where it was seen; -1 when it has none.</summary>
    public long Offset { get; } = offset;
}
