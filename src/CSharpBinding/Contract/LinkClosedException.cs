namespace Ambrosia;

/// <summary>
/// The connection to the coordinator has ended. Everything that was logged is safe; the immortal continues when both are started again.
/// </summary>
public sealed class LinkClosedException : IOException
{
    /// <summary>An ended connection.</summary>
    /// <param name="reason">One sentence.</param>
    /// <param name="inner">What the transport reported, if anything.</param>
    public LinkClosedException(string reason, Exception? inner = null)
        : base(reason, inner)
    {
    }
}
