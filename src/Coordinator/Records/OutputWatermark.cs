namespace Ambrosia.Coordinator.Records;

/// <summary>
/// One destination as of a checkpoint: replayable messages in the app's stream before it, what was durable there, and what was dropped.
/// </summary>
public readonly record struct OutputWatermark(
    string Destination, ulong Streamed, ulong Trimmed, ulong ReceiverEpoch, Guid ReceiverId, ulong Dropped = 0);
