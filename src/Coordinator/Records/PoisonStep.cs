namespace Ambrosia.Coordinator.Records;

/// <summary>What a mark in the log says of a message that kills its app.</summary>
public enum PoisonStep : byte
{
    /// <summary>The app died in it, or somewhere in a range.</summary>
    Suspected = 1,

    /// <summary>It, or the range, is not suspected any more.</summary>
    Cleared = 2,

    /// <summary>It is never executed again; it is kept as a dead letter.</summary>
    Quarantined = 3,

    /// <summary>Its dead letter was logged once more as a new input, in this very record.</summary>
    Redriven = 4,

    /// <summary>Its dead letter was thrown away.</summary>
    Dropped = 5,

    /// <summary>
    /// Its primary is about to decide whether it is quarantined: until one of the next two steps about it, or the next epoch, no other
    /// replica makes a checkpoint that contains it.
    /// </summary>
    QuarantineProposed = 6,

    /// <summary>A quarantine was proposed and rejected.</summary>
    QuarantineRejected = 7,
}
