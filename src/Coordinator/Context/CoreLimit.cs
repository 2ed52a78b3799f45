namespace Ambrosia.Coordinator.Context;

/// <summary>A limit that has just decided something. Only tests ask which.</summary>
internal enum CoreLimit
{
    /// <summary>A batch for a peer was full, and there was more.</summary>
    Batch,

    /// <summary>Output beyond <c>--max-buffered</c> went to the scratch file.</summary>
    OutputMemory,

    /// <summary>A scratch file's segment was full.</summary>
    SpillSegment,

    /// <summary>The scratch files were full (<c>--max-spill</c>).</summary>
    Spill,

    /// <summary>Inputs waited for an app that is too far behind (<c>--max-lag</c>).</summary>
    Lag,

    /// <summary>An app's stream was flushed because much of it was waiting.</summary>
    DeliveryFlush,

    /// <summary>The app had to be given a record from the log: it was no longer in memory.</summary>
    DeliveryCache,

    /// <summary>A turn's outputs left before it ended, because they were too many to hold.</summary>
    Turn,

    /// <summary>A message was not quarantined, because too many dead letters were kept.</summary>
    DeadLetters,

    /// <summary>Names that never sent anything were forgotten.</summary>
    UnknownSenders,

    /// <summary>More digests waited than one record takes.</summary>
    Digests,

    /// <summary>More trims or decisions waited than one record takes.</summary>
    Marks,

    /// <summary>A replica's app was so far ahead of its primary's that a digest was not compared.</summary>
    DigestsHeld,

    /// <summary>The digests of executed records were looked for further on in the log.</summary>
    DigestsAhead,

    /// <summary>A follower interrupted itself, so that its app gets its turn.</summary>
    RecordsInOneGo,
}
