using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Records;

/// <summary>Watermark of an input as of a record, with the identity of the sender it belongs to.</summary>
public readonly record struct InputWatermark(string Name, Guid SenderId, Watermark Watermark);
