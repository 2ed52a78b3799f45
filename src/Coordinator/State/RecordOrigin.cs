namespace Ambrosia.Coordinator.State;

/// <summary>Where a record comes from that is applied to the state.</summary>
internal enum RecordOrigin
{
    /// <summary>It was read from the log: by a recovery, or by a replica that follows.</summary>
    Log,

    /// <summary>
    /// This process wrote it under its own epoch. What it received and what was confirmed to it is further in memory than in the record.
    /// </summary>
    Own,
}
