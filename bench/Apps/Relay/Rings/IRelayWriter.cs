namespace Ambrosia.Bench.Relay.Rings;

/// <summary>Where bytes go.</summary>
internal interface IRelayWriter
{
    /// <summary>Returns when the bytes are on their way and may be overwritten.</summary>
    void Write(ReadOnlySpan<byte> bytes);

    /// <summary>The other side reads what was written, and then the end.</summary>
    void End();
}
