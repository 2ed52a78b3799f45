using Ambrosia.LogStore;

namespace Ambrosia.Coordinator.State;

/// <summary>A record's place in history.</summary>
/// <param name="Lsn">Its number.</param>
/// <param name="Epoch">The epoch that wrote it.</param>
/// <param name="Timestamp">When it was written, in the units of its header.</param>
internal readonly record struct RecordPlace(Lsn Lsn, Epoch Epoch, long Timestamp);
