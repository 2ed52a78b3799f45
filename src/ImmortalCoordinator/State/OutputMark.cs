namespace Ambrosia.ImmortalCoordinator.State;

/// <summary>One destination as of a checkpoint: replayable messages in the app's stream before it, and what was durable there.</summary>
internal readonly record struct OutputMark(string Destination, ulong Streamed, ulong Trimmed, ulong ReceiverEpoch, Guid ReceiverId);
