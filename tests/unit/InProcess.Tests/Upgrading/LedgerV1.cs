namespace Ambrosia.InProcess.Tests.Upgrading;

public sealed class LedgerV1 : LedgerBase
{
    private readonly List<long> _entries = [];

    public LedgerV1()
    {
    }

    public LedgerV1(LedgerV2 newer) => _entries.Add(newer.Sum);

    public IReadOnlyList<long> Entries => _entries;

    public override DurableTask<long> Add(long amount) => Book(amount);

    public override DurableTask<long> Total() => _entries.Sum();

    public override async DurableTask<long> Later(TimeSpan after, long amount)
    {
        await Delay(after);
        return Book(amount);
    }

    public override async DurableTask<long> Changed(TimeSpan after, long amount)
    {
        await Delay(after);
        return Book(amount) - 1;
    }

    public override async DurableTask<long> Kept(TimeSpan after, long amount)
    {
        await Delay(after);
        return Book(amount) + 1000;
    }

    private long Book(long amount)
    {
        _entries.Add(amount);
        return _entries.Sum();
    }

    // For tests of what a conversion may do.
    public long Dice() => Random.Next();

    public void Send() => This.AddFork(1);
}
