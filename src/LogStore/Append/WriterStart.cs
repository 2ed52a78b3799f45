namespace Ambrosia.LogStore.Append;

/// <summary>What a process found when it got the right to append.</summary>
/// <param name="Epoch">The epoch it opened; durable already.</param>
/// <param name="LastLsn">Last record of the log; <see cref="Lsn.None"/> when there is none.</param>
/// <param name="InstanceId">Identity of the log.</param>
/// <param name="IsNew">Whether the log was made by this call.</param>
/// <param name="TornBytes">Bytes of an interrupted write that were cut after the last record; 0 normally.</param>
public sealed record WriterStart(Epoch Epoch, Lsn LastLsn, InstanceId InstanceId, bool IsNew, long TornBytes);
