namespace Ambrosia.Interleavings.Tests.Sending;

/// <summary>The coordinator's part of a checkpoint, for one destination.</summary>
internal sealed class ModelCheckpoint
{
    public ulong Streamed { get; init; }

    public ulong Trimmed { get; init; }

    public ulong ReceiverEpoch { get; init; }

    public List<(ulong Number, int Count, byte[] Messages)> Entries { get; } = [];
}
