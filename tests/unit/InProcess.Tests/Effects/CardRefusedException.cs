namespace Ambrosia.InProcess.Tests.Effects;

/// <summary>An answer of the outside, although it is of a kind that would otherwise be tried again.</summary>
public sealed class CardRefusedException(string message, int triesLeft) : IOException(message)
{
    public int TriesLeft { get; } = triesLeft;
}
