using Ambrosia;

namespace Shop.Effects;

/// <summary>Letters. A handler asks for one, and it is sent outside.</summary>
[EffectInterface]
public interface IMail
{
    /// <summary>Sends one.</summary>
    Task Send(string to, string subject, string text, EffectContext effect);
}
