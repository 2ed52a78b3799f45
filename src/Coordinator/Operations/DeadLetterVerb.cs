namespace Ambrosia.Coordinator.Operations;

/// <summary>What a person may decide about a message that kills or blocks the app.</summary>
public enum DeadLetterVerb
{
    /// <summary>Take it out of the log for good and keep it.</summary>
    Quarantine,

    /// <summary>The same, although a caller from outside may have been told what an earlier life of the app answered in it or behind
    /// it.</summary>
    QuarantineForced,

    /// <summary>Log it once more as a new input.</summary>
    Redrive,

    /// <summary>Throw it away.</summary>
    Drop,

    /// <summary>End a hold: let the app try again.</summary>
    Retry,
}
