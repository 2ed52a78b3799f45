using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Ingest;

/// <summary>Watermark of an input as of a record, with the identity of the sender it belongs to.</summary>
internal readonly record struct InputMark(string Name, Guid SenderId, Watermark Watermark);
