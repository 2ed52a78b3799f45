using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore.Settings;

/// <summary>Events 2000 to 2999.</summary>
internal static partial class LogStoreLog
{
    [LoggerMessage(2000, LogLevel.Information, "Log of {Instance} created with id {InstanceId} in {Location}")]
    public static partial void LogCreated(ILogger logger, string instance, InstanceId instanceId, string location);

    [LoggerMessage(2001, LogLevel.Debug, "Epoch {Epoch} of {Instance} opened in segment {Segment} after LSN {LastLsn}")]
    public static partial void EpochOpened(ILogger logger, Epoch epoch, string instance, ulong segment, Lsn lastLsn);

    [LoggerMessage(2002, LogLevel.Warning, "Torn tail of {TornBytes} bytes cut after LSN {LastGood} in {Segment}; copy kept: {CopyKept}")]
    public static partial void TornTailCut(ILogger logger, long tornBytes, Lsn lastGood, string segment, bool copyKept);

    [LoggerMessage(2003, LogLevel.Debug, "Segment {Segment} begins at LSN {FirstLsn}")]
    public static partial void SegmentRolled(ILogger logger, ulong segment, Lsn firstLsn);

    [LoggerMessage(2004, LogLevel.Debug, "Log before LSN {Floor} released: {Segments} segments, {Checkpoints} checkpoints")]
    public static partial void LogTrimmed(ILogger logger, Lsn floor, int segments, int checkpoints);

    [LoggerMessage(2005, LogLevel.Debug, "Checkpoint at LSN {Lsn} of {Bytes} bytes verified")]
    public static partial void CheckpointVerified(ILogger logger, Lsn lsn, long bytes);

    [LoggerMessage(2006, LogLevel.Debug, "Checkpoint at LSN {Lsn} of {Bytes} bytes was written by another replica")]
    public static partial void CheckpointAdopted(ILogger logger, Lsn lsn, long bytes);

    [LoggerMessage(2010, LogLevel.Warning, "IC-2010 both copies of the manifest are unusable in {Location}; rebuilt from the folder")]
    public static partial void ManifestRebuilt(ILogger logger, string location);

    [LoggerMessage(2014, LogLevel.Warning,
        "IC-2010 a copy of the manifest is damaged, or of another log | {File} | the other copy, or the folder itself, says what is there "
        + "| check the device; the copy is written again with the next checkpoint")]
    public static partial void ManifestCopyUnusable(ILogger logger, string file);

    [LoggerMessage(2011, LogLevel.Warning,
        "IC-2011 checkpoint at LSN {Lsn} is damaged | {File} offset {Offset} | an older checkpoint or the log's beginning is used | keep "
        + "the file for analysis or delete it")]
    public static partial void CheckpointDamaged(ILogger logger, Lsn lsn, string file, long offset);

    [LoggerMessage(2015, LogLevel.Warning, "{Line}")]
    public static partial void CheckpointGone(ILogger logger, string line);

    [LoggerMessage(2016, LogLevel.Warning, "{Line}")]
    public static partial void OldestLogMissing(ILogger logger, string line);

    [LoggerMessage(2012, LogLevel.Warning, "Space ahead of need could not be prepared: {Reason}")]
    public static partial void PreparationFailed(ILogger logger, string reason);

    [LoggerMessage(2013, LogLevel.Critical, "{Line}")]
    public static partial void Fatal(ILogger logger, string line);
}
