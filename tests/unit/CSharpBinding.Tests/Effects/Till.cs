using System.Collections.Concurrent;

namespace Ambrosia.CSharpBinding.Tests.Effects;

/// <summary>Performs the effects of a test.</summary>
internal sealed class Till : IPay
{
    public ConcurrentQueue<(string Id, int Amount)> Charged { get; } = new();

    /// <summary>What charging waits for or throws.</summary>
    public Func<EffectContext, Task>? Act { get; set; }

    public async Task<string> Charge(int amount, EffectContext effect)
    {
        Charged.Enqueue((effect.Id, amount));
        if (Act is { } act)
        {
            await act(effect);
        }

        return $"paid {amount}";
    }
}
