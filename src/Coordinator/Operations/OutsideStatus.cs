namespace Ambrosia.Coordinator.Operations;

/// <summary>Calls from outside that are kept.</summary>
public sealed record OutsideStatus
{
    /// <summary>Calls with a key that are kept.</summary>
    public int Kept { get; init; }

    /// <summary>Those of them whose answer is still to come.</summary>
    public int Pending { get; init; }

    /// <summary>Bytes of the answers that are kept.</summary>
    public long AnswerBytes { get; init; }
}
