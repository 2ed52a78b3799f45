namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>What a network, or a service with too much to do, does to one request.</summary>
internal enum FaultKind
{
    /// <summary>It is done, and its answer never arrives.</summary>
    LostAnswer,

    /// <summary>It is refused for now: 503, 500, 408 or 429. Nothing is done.</summary>
    Busy,

    /// <summary>It is refused as if a condition did not hold: 412. Nothing is done.</summary>
    Refused,

    /// <summary>It comes twice; the answer is that of the first time.</summary>
    Twice,

    /// <summary>It is done, and the answer says that it was not: 500.</summary>
    DoneAndBusy,

    /// <summary>It waits on its way.</summary>
    Late,
}
