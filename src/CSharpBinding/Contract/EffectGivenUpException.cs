namespace Ambrosia;

/// <summary>
/// A person gave the effect up (<c>ambrosia effects fail</c>), because it ended its process again and again or had no hope of an outcome.
/// Whether it was performed is unknown.
/// </summary>
public sealed class EffectGivenUpException : Exception
{
    /// <summary>An exception with a message.</summary>
    public EffectGivenUpException(string message)
        : base(message)
    {
    }
}
