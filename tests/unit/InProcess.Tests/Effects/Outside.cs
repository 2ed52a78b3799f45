using Ambrosia.Primitives;

namespace Ambrosia.InProcess.Tests.Effects;

/// <summary>An outside that takes its time, fails at times and remembers everything: what the explorer compares with.</summary>
internal sealed class Outside(Random random) : IPayments
{
    private readonly List<string> _violations = [];
    private ulong _epoch;
    private int _receipts;
    private int _lastStep = -1;

    /// <summary>By customer: the id under which it was charged.</summary>
    public Dictionary<string, string> Ids { get; } = [];

    /// <summary>By customer: every receipt that was ever given out.</summary>
    public Dictionary<string, HashSet<string>> Receipts { get; } = [];

    public HashSet<string> Mailed { get; } = [];

    public int Calls { get; private set; }

    /// <summary>What must not happen outside and did.</summary>
    public IReadOnlyList<string> Violations => _violations;

    public async Task<string> Charge(string card, decimal amount, EffectContext effect)
    {
        Came(card, effect);
        await ActAsync(effect);
        string receipt = $"{++_receipts}";
        if (!Receipts.TryGetValue(card, out HashSet<string>? given))
        {
            Receipts[card] = given = [];
        }

        given.Add(receipt);
        await ActAsync(effect);
        return receipt;
    }

    public async Task Mail(string to, string text, EffectContext effect)
    {
        Came(to + text, effect);
        await ActAsync(effect);
        Mailed.Add(to);
    }

    public async Task<int> Step(int number, EffectContext effect)
    {
        Came($"step{number}", effect);
        if (number < _lastStep)
        {
            _violations.Add($"I7: step {number} was performed after step {_lastStep} had begun");
        }

        _lastStep = Math.Max(_lastStep, number);
        await ActAsync(effect);
        return number;
    }

    public string Large(int size, EffectContext effect) => new('x', size);

    private void Came(string customer, EffectContext effect)
    {
        Calls++;
        if (effect.Epoch < _epoch)
        {
            _violations.Add($"I4: {effect.Id} was called by an app of epoch {effect.Epoch} after one of epoch {_epoch} had called");
        }

        _epoch = Math.Max(_epoch, effect.Epoch);
        if (!Ids.TryAdd(customer, effect.Id) && Ids[customer] != effect.Id)
        {
            _violations.Add($"I1: {customer} was called under {Ids[customer]} and {effect.Id}");
        }
    }

    private async Task ActAsync(EffectContext effect)
    {
        if (random.Next(3) > 0)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(random.Next(30)), effect.Time, effect.Cancellation);
        }

        if (random.Next(8) == 0)
        {
            throw new IOException("the outside is busy");
        }
    }
}
