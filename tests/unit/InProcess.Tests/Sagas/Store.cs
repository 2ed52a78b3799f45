namespace Ambrosia.InProcess.Tests.Sagas;

/// <summary>Does and undoes, unless it is told to refuse.</summary>
public sealed class Store : StoreBase
{
    private int _refusals;

    public List<string> Seen { get; } = [];

    public override DurableTask Do(string what)
    {
        if (what == "fail")
        {
            throw new InvalidOperationException("sold out");
        }

        Seen.Add(what);
        return default;
    }

    public override DurableTask<string> Undo(string what)
    {
        if (_refusals > 0)
        {
            _refusals--;
            Seen.Add($"no {what}");
            throw new InvalidOperationException("the store is closed");
        }

        Seen.Add($"undo {what}");
        return "undone";
    }

    public override DurableTask Refuse(int times)
    {
        _refusals = times;
        return default;
    }
}
