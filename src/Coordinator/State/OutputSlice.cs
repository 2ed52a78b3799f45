namespace Ambrosia.Coordinator.State;

/// <summary>
/// Part of an output entry as it was when a checkpoint was cut; the entry may lose its front while the checkpoint is written.
/// </summary>
internal readonly record struct OutputSlice(string Destination, OutputEntry Entry, int Skipped, ulong Number, int Count, bool Whole);
