namespace Ambrosia.ForeignPeer;

/// <summary>The C# half of the test: is driven by a binding in another language, drives it in turn, and awaits it while it is called by
/// it.</summary>
public sealed class Ledger : CounterBase
{
    private const int Calls = 300;
    private long _total;
    private long _notes;
    private bool _disorder;
    private long _wrong;
    private long _relayed;

    private CounterProxy Foreign => Proxy<CounterProxy>("foreign");

    /// <inheritdoc/>
    public override DurableTask<long> Add(long amount)
    {
        _total += amount;
        // The sender takes a total that does not grow for a failure: so it learns of notes that were lost, doubled or swapped.
        return _disorder ? -1 : _total;
    }

    /// <inheritdoc/>
    public override DurableTask Note(long number)
    {
        _disorder |= number != ++_notes;
        return default;
    }

    /// <inheritdoc/>
    public override DurableTask Fail() => throw new InvalidOperationException("this method always fails");

    /// <inheritdoc/>
    public override async DurableTask<long> Relay(string peer, long amount) => await Proxy<CounterProxy>(peer).AddAsync(amount);

    /// <inheritdoc/>
    public override DurableTask Result(long calls, long wrong, long relayed, string failure) => default;

    /// <inheritdoc/>
    protected override async DurableTask OnFirstStart()
    {
        for (int i = 1; i <= Calls; i++)
        {
            Foreign.NoteFork(i);
            long sum = await Foreign.AddAsync(1);
            _wrong += sum == i ? 0 : 1;
            if (i % 10 == 0)
            {
                // The foreign side calls this instance back before it answers.
                long relayed = await Foreign.RelayAsync("ledger", 1);
                _relayed += relayed > 0 ? 1 : 0;
            }
        }

        string failure = "none";
        try
        {
            await Foreign.FailAsync();
        }
        catch (RemoteException error)
        {
            failure = error.RemoteType;
        }

        Foreign.ResultFork(Calls, _wrong, _relayed, failure);
    }
}
