namespace Ambrosia.InProcess.Tests.Sagas;

/// <summary>Notes what it is asked, with the id under which it is.</summary>
internal sealed class FakeTill : ITill
{
    public List<(string What, string Id)> Log { get; } = [];

    /// <summary>Refunds that fail from now on.</summary>
    public int Refusals { get; set; }

    public Task<string> Charge(decimal amount, EffectContext effect) => Note("charge", effect);

    public Task<string> Refund(decimal amount, EffectContext effect)
    {
        if (Refusals > 0)
        {
            Refusals--;
            throw new InvalidOperationException("no such charge");
        }

        return Note("refund", effect);
    }

    private Task<string> Note(string what, EffectContext effect)
    {
        Log.Add((what, effect.Id));
        return Task.FromResult(what);
    }
}
