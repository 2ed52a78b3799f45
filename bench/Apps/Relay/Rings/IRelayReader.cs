namespace Ambrosia.Bench.Relay.Rings;

/// <summary>Where bytes come from.</summary>
internal interface IRelayReader
{
    /// <summary>Waits for bytes and returns them where they lie, until <see cref="Release"/>; none at the end.</summary>
    ReadOnlySpan<byte> Receive();

    /// <summary>Gives the first of them back.</summary>
    void Release(int count);
}
