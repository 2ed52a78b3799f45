namespace Ambrosia.Coordinator.Operations;

/// <summary>Calls from outside: what this process has done with them, and what is kept.</summary>
public sealed record OutsideStatus
{
    /// <summary>Calls that went into the log since the start of the process.</summary>
    public long Admitted { get; init; }

    /// <summary>Repeats since then of calls that were there: they got that one's answer, or wait for it.</summary>
    public long Repeated { get; init; }

    /// <summary>Callers that wait now.</summary>
    public int Waiting { get; init; }

    /// <summary>Calls with a key that are kept.</summary>
    public int Kept { get; init; }

    /// <summary>Those of them whose answer is still to come.</summary>
    public int Pending { get; init; }

    /// <summary>Bytes of the answers that are kept.</summary>
    public long AnswerBytes { get; init; }
}
