namespace Ambrosia.TimeTravel.Comparing;

/// <summary>In what two executions of the same message differ; the first that applies.</summary>
public enum DifferenceKind
{
    /// <summary>They sent another number of messages.</summary>
    Number,

    /// <summary>As many, but to others, or in another order of destinations.</summary>
    Destination,

    /// <summary>
    /// To the same, but calling or answering another method, or in another way: a value instead of an exception, a fork instead of a call.
    /// </summary>
    Method,

    /// <summary>The same methods with other arguments, or another result.</summary>
    Content,

    /// <summary>The handler of a fork or an impulse threw in one and not, or something else, in the other.</summary>
    Fault,

    /// <summary>They asked for other effects, or for more or fewer.</summary>
    Effect,

    /// <summary>They sent the same, and their states differ afterwards.</summary>
    State,

    /// <summary>The states cannot be compared from the beginning on: the versions do not keep the same fields.</summary>
    StateShape,

    /// <summary>The app did not survive it.</summary>
    Ended,
}
