namespace Ambrosia.PowerCut.Tests.Volumes;

/// <summary>What a power cut leaves, as the shutdown call of ext4 and XFS offers it.</summary>
internal enum CutMode
{
    /// <summary>The journal reaches the device first (LOGFLUSH): metadata is newer than the data that was not synced.</summary>
    JournalKept = 1,

    /// <summary>Nothing reaches the device any more (NOLOGFLUSH): metadata is as old as the last sync.</summary>
    JournalLost = 2,
}
