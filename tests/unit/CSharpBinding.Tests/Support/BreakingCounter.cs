namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>A counter in the middle of whose turns something happens to the link.</summary>
internal sealed class BreakingCounter : Counter
{
    [NotSaved]
    private Action? _inTurn;

    /// <summary>What the handlers saw, in order; not saved, so that it is of this life only.</summary>
    [NotSaved]
    private readonly List<string> _seen = [];

    public IReadOnlyList<string> Seen => _seen;

    /// <summary>Runs once, in the middle of the next turn of <see cref="Add"/> or <see cref="AskPeer"/>.</summary>
    public Action? InTurn
    {
        set => _inTurn = value;
    }

    public override async DurableTask<int> Add(int amount)
    {
        Break();
        string outcome = "nothing thrown";
        try
        {
            Proxy<CounterProxy>($"fresh{amount}").NoteFork(amount);
        }
        catch (IOException error)
        {
            outcome = error.GetType().Name;
        }

        _seen.Add($"add {amount}: {outcome}");
        return await base.Add(amount);
    }

    public override async DurableTask<int> AskPeer(string peer, int value)
    {
        int answer = await Proxy<CounterProxy>(peer).AddAsync(value);
        Break();
        return await Add(answer);
    }

    private void Break()
    {
        Action? now = _inTurn;
        _inTurn = null;
        now?.Invoke();
    }
}
