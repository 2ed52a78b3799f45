namespace Ambrosia.InProcess.Tests.Effects;

/// <summary>What a test gives in place of the class that really pays: notes what it was asked, and answers as told.</summary>
internal sealed class FakePayments : IPayments
{
    public List<string> Ids { get; } = [];

    public List<string> Log { get; } = [];

    public List<EffectContext> Contexts { get; } = [];

    /// <summary>What charging does before it succeeds.</summary>
    public Func<EffectContext, Task>? OnCharge { get; set; }

    public async Task<string> Charge(string card, decimal amount, EffectContext effect)
    {
        Note($"charge {card} {amount}", effect);
        if (OnCharge is { } act)
        {
            await act(effect);
        }

        return $"{amount} by {card}";
    }

    public Task Mail(string to, string text, EffectContext effect)
    {
        Note($"mail {to} {text}", effect);
        return OnCharge?.Invoke(effect) ?? Task.CompletedTask;
    }

    public async Task<int> Step(int number, EffectContext effect)
    {
        Note($"begin {number}", effect);
        await Task.Delay(TimeSpan.FromSeconds(10 - number), effect.Time);
        Log.Add($"end {number}");
        return number;
    }

    public string Large(int size, EffectContext effect)
    {
        Note($"large {size}", effect);
        return new string('x', size);
    }

    private void Note(string what, EffectContext effect)
    {
        Ids.Add(effect.Id);
        Log.Add(what);
        Contexts.Add(effect);
    }
}
