namespace Ambrosia.Coordinator.Outside;

/// <summary>What is to be done with a call from outside that has arrived (outside-calls.md, "What a caller is told").</summary>
internal enum OutsideVerdict
{
    /// <summary>It is new: it goes into the log, with its marks in the same record.</summary>
    Admit,

    /// <summary>It is kept: its answer is told, now or when it is there.</summary>
    Known,

    /// <summary>A copy is on its way into the log: this one waits for that (X2).</summary>
    InFlight,

    /// <summary>A call with this key had another method, kind of content, body or time (X5).</summary>
    OtherBody,

    /// <summary>Its key was made before the horizon and is not kept: it may have run (X6).</summary>
    Forgotten,

    /// <summary>Its caller has said that it is done with it (X11).</summary>
    Acknowledged,

    /// <summary>Its key was made in the future (X6).</summary>
    Future,

    /// <summary>The share of its caller is used up (X12).</summary>
    Full,

    /// <summary>Its line is being forgotten: what is true of it will be known in a moment (X10).</summary>
    Again,
}
