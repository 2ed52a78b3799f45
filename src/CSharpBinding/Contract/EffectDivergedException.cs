namespace Ambrosia;

/// <summary>
/// The log holds the outcome of an effect that this build did not ask for, or asked for with other arguments: the code changed, or a
/// handler is not deterministic.
/// Nothing was sent or performed.
/// </summary>
public sealed class EffectDivergedException : Exception
{
    internal EffectDivergedException(string message)
        : base(message)
    {
    }
}
