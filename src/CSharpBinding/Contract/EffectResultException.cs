namespace Ambrosia;

/// <summary>
/// An effect was performed, but what it returned cannot be logged: it is too large or cannot be encoded. It is not performed again.
/// </summary>
public sealed class EffectResultException : Exception
{
    /// <summary>A result that cannot be logged.</summary>
    /// <param name="message">Which one and why.</param>
    /// <param name="inner">What was found, if anything.</param>
    public EffectResultException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
