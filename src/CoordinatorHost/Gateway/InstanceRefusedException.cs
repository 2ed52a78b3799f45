namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>The gateway or an instance does not trust the other one, so that nothing can be asked there.</summary>
internal sealed class InstanceRefusedException(TryOutcome outcome, string message, Exception? inner) : IOException(message, inner)
{
    /// <summary>Which of the two: that a call would come to, too.</summary>
    public TryOutcome Outcome => outcome;
}
