namespace Ambrosia.InProcess.Tests.Upgrading;

public sealed class LedgerV2 : LedgerBase
{
    private readonly string _currency = "";
    private long _sum;

    public LedgerV2()
    {
    }

    public LedgerV2(LedgerV1 older, string currency)
    {
        _sum = older.Entries.Sum();
        _currency = currency;
    }

    public string Currency => _currency;

    public long Sum => _sum;

    public override DurableTask<long> Add(long amount) => Book(amount);

    public override DurableTask<long> Total() => _sum;

    public override async DurableTask<long> Later(TimeSpan after, long amount)
    {
        await Delay(after);
        return Book(amount);
    }

    public override async DurableTask<long> Changed(TimeSpan after, long amount)
    {
        await Delay(after);
        return Book(amount * 2);
    }

    public override async DurableTask<long> Kept(TimeSpan after, long amount)
    {
        await Delay(after);
        return Book(amount * 2);
    }

    [Continues(nameof(Kept))]
    private async DurableTask<long> KeptV1(TimeSpan after, long amount)
    {
        await Delay(after);
        return Book(amount) + 1000;
    }

    private long Book(long amount)
    {
        _sum += amount;
        return _sum;
    }
}
