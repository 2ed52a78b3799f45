namespace EndToEnd;

/// <summary>What a request makes its node do.</summary>
public enum WorkKind
{
    /// <summary>Nothing but note it.</summary>
    Note,

    /// <summary>A fork to the peer.</summary>
    Fork,

    /// <summary>An awaited call to the peer.</summary>
    Await,

    /// <summary>An awaited call whose handler awaits a call itself, back and forth.</summary>
    Nested,

    /// <summary>A call to itself, awaited.</summary>
    Self,

    /// <summary>A durable timer, then a fork.</summary>
    Timer,

    /// <summary>A message with many bytes, awaited.</summary>
    Large,

    /// <summary>A call that throws at the peer; caught here.</summary>
    Throw,

    /// <summary>Several calls awaited together, to the peer and to itself.</summary>
    All,

    /// <summary>A call that ends the peer's process, in the way that the size says; the answer tells whether it was skipped.</summary>
    Poison,

    /// <summary>Notes what depends on a culture: texts of numbers, letters' cases, the order of a sorted set.</summary>
    Culture,
}
