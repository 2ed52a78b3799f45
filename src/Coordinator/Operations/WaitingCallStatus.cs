namespace Ambrosia.Coordinator.Operations;

/// <summary>
/// A call that awaits its reply. Of one that came with the checkpoint from which the app's process began, only the number and who awaits it
/// are known.
/// </summary>
public sealed record WaitingCallStatus
{
    /// <summary>Its number; later calls have larger ones.</summary>
    public long Number { get; init; }

    /// <summary>The instance that is called; null if that is not known.</summary>
    public string? Destination { get; init; }

    /// <summary>The method that is called; null if that is not known.</summary>
    public int? MethodId { get; init; }

    /// <summary>Its name; empty if that is not known.</summary>
    public string Method { get; init; } = "";

    /// <summary>Log time of the turn that made the call; null if that is not known.</summary>
    public DateTimeOffset? Since { get; init; }

    /// <summary>The message whose turn made the call, as <c>17:3</c>; empty if that is not known.</summary>
    public string Message { get; init; } = "";

    /// <summary>The suspended methods that await it, outermost first, as <c>Transfer &gt; Withdraw</c>; empty if none does.</summary>
    public string AwaitedBy { get; init; } = "";
}
