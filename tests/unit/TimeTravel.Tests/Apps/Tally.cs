using Ambrosia.TimeTravel.Tests.Support;

namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>A counter that tells nobody: for logs so long that what it told would have to be kept somewhere.</summary>
public sealed class Tally : CounterBase
{
    private readonly DurableDictionary<string, long> _totals = [];
    private long _handled;

    public long Handled => _handled;

    public override DurableTask<long> Count(string name, long by)
    {
        _handled++;
        return _totals[name] = (_totals.TryGetValue(name, out long total) ? total : 0) + by;
    }

    public override DurableTask<long> Twice(string name, long by) => by;

    public override DurableTask Report(string text) => default;

    public override DurableTask Alarm(string text) => default;

    public override DurableTask Tick(string name, long by)
    {
        _handled++;
        This.CountFork(name, by);
        return default;
    }

    protected override void BecomingPrimary(ImmortalContext context) => CounterDoor.Open(context, This);
}
