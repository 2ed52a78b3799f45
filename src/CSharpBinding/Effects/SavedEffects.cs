using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>The pending effects of an immortal as they stand in a checkpoint.</summary>
internal sealed class SavedEffects(PendingEffect[] pending, EffectLives lives)
{
    private readonly PendingEffect[] _pending = pending;
    private readonly ulong _life = lives.Life;
    private readonly ulong _build = lives.Build;

    /// <summary>Effects without an outcome, in the order in which they were asked for.</summary>
    public PendingEffect[] Pending => _pending;

    /// <summary>The process that acted; see <see cref="EffectLives"/>.</summary>
    public ulong Life => _life;

    /// <summary>Its build.</summary>
    public ulong Build => _build;

    /// <summary>Throws if this build cannot perform one of them.</summary>
    /// <param name="library">What reads values that MessagePack-CSharp knows.</param>
    /// <exception cref="CannotResumeException">A method is gone or takes other arguments.</exception>
    public void Check(MessagePackLibrary library)
    {
        List<string> refusals = [];
        foreach (PendingEffect effect in _pending)
        {
            EffectMethod? method = effect.Contract.Find(effect.MethodId);
            if (method is null)
            {
                refusals.Add($"Effect {effect.Key} of {effect.Contract.InterfaceName}: there is no method with id {effect.MethodId}. "
                    + "Keep the old method until none is pending, or give the new one its number with [MethodId].");
                continue;
            }

            try
            {
                method.Decode(effect.Arguments, library);
            }
            catch (Exception error) when (!ProcessFailure.Is(error))
            {
                refusals.Add($"Effect {effect.Key}, {effect.Contract.InterfaceName}.{method.Name}: its arguments cannot be decoded "
                    + $"({error.Message}).");
            }
        }

        if (refusals.Count > 0)
        {
            throw new CannotResumeException(refusals);
        }
    }
}
