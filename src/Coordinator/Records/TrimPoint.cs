namespace Ambrosia.Coordinator.Records;

/// <summary>Outputs up to this number are durable at the destination, as said by its receiver in this epoch.</summary>
public readonly record struct TrimPoint(string Destination, ulong Number, ulong ReceiverEpoch, Guid ReceiverId);
