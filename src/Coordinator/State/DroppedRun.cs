namespace Ambrosia.Coordinator.State;

/// <summary>
/// Messages that were dropped together: replayable ones, numbered from <paramref name="Number"/>, or impulses after that one.
/// </summary>
public readonly record struct DroppedRun(ulong Number, int Count, bool Impulses, ReadOnlyMemory<byte> Messages);
