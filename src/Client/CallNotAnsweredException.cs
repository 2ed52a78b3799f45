namespace Ambrosia.Client;

/// <summary>
/// The time for a call was over before its answer came. It may have run, and it may still run. With a key of your own you can ask again.
/// </summary>
public sealed class CallNotAnsweredException : TimeoutException
{
    /// <summary>No answer in time.</summary>
    /// <param name="message">What was called, and what went wrong last.</param>
    /// <param name="inner">What went wrong last.</param>
    public CallNotAnsweredException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
