namespace Ambrosia.LogStore.Read;

/// <summary>What a reader found at its position.</summary>
public enum ReadOutcome
{
    /// <summary>A record, valid and durable.</summary>
    Record,

    /// <summary>No further record yet; reading again later may find one.</summary>
    EndOfLog,

    /// <summary>A record whose writing was interrupted. Only readers that look beyond what is proven durable see it.</summary>
    TornTail,

    /// <summary>The position was deleted, because newer checkpoints made it dispensable: load one of them and go on from there.</summary>
    Trimmed,
}
