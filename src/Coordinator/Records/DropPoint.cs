namespace Ambrosia.Coordinator.Records;

/// <summary>Outputs to a destination up to this number are dropped: they are not sent any more, in this life or a later one.</summary>
public readonly record struct DropPoint(string Destination, ulong Number);
