namespace Ambrosia.Runtime;

/// <summary>
/// Which process acts with which build, as far as effects are pending: state. Without it a process that was only connected again would
/// count as one that its effects have ended (docs/internals/effect-rules.md E20).
/// </summary>
internal sealed class EffectLives
{
    /// <summary>The process that acts; 0 if none does or nothing is pending.</summary>
    public ulong Life { get; private set; }

    /// <summary>Its build; 0 if nothing is pending.</summary>
    public ulong Build { get; private set; }

    /// <summary>As it was saved.</summary>
    public void Restore(ulong life, ulong build) => (Life, Build) = (life, build);

    /// <summary>A process begins what is pending: whichever did before did not stop by itself, unless it is the same.</summary>
    public void Begin(IEnumerable<PendingEffect> pending, ulong life, ulong build)
    {
        bool isOther = life != Life;
        bool isRebuilt = Build != 0 && build != Build;
        foreach (PendingEffect effect in pending)
        {
            effect.LifeBegins(isOther, isRebuilt);
        }

        (Life, Build) = (life, build);
    }

    /// <summary>A process has stopped by itself.</summary>
    public void End(IEnumerable<PendingEffect> pending, ulong life)
    {
        if (life != Life)
        {
            return;
        }

        foreach (PendingEffect effect in pending)
        {
            effect.LifeEnds();
        }

        Life = 0;
    }
}
