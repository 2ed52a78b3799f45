using System.Globalization;
using Ambrosia.TimeTravel.Tests.Support;

namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>
/// Counts what its ticks say, and tells two others; a version with one change, if one is given, which shows only for one amount,
/// <see cref="Trigger.By"/> unless another is given. Golden logs hold its state: saved fields and what is sent without a change stay as
/// they are.
/// </summary>
public sealed class Counter : CounterBase
{
    private readonly DurableDictionary<string, long> _totals = [];
    private long _handled;
    private int _silent;

    [NotSaved]
    private readonly PlantedChange _change;

    [NotSaved]
    private readonly long _trigger = Trigger.By;

    public Counter()
    {
    }

    public Counter(PlantedChange change, long trigger = Trigger.By) => (_change, _trigger) = (change, trigger);

    public long Handled => _handled;

    public override DurableTask<long> Count(string name, long by)
    {
        _handled++;
        long now = (_totals.TryGetValue(name, out long total) ? total : 0) + by + (Is(PlantedChange.State, by) ? 1 : 0);
        _totals[name] = now;
        _silent += Is(PlantedChange.SilentState, by) ? 1 : 0;
        Tell(name, now, by);
        return by == 1 && _handled > Trigger.Handled && _change is PlantedChange.ExceptionInsteadOfValue or PlantedChange.OtherResult
            ? Wrong(now) : now;
    }

    public override DurableTask Report(string text) => default;

    public override DurableTask Alarm(string text) => default;

    public override DurableTask Tick(string name, long by)
    {
        _handled++;
        This.CountFork(name, by);
        if (by % 7 == 0)
        {
            This.TwiceFork(name, 1);
        }

        return Is(PlantedChange.Fault, by) ? throw new InvalidOperationException("planted") : default;
    }

    public override async DurableTask<long> Twice(string name, long by)
    {
        long first = await This.CountAsync(name, by);
        return first + await This.CountAsync(name, by);
    }

    protected override void BecomingPrimary(ImmortalContext context) => CounterDoor.Open(context, This);

    private bool Is(PlantedChange change, long by) => _change == change && by == _trigger;

    private DurableTask<long> Wrong(long now) =>
        _change == PlantedChange.OtherResult ? now + 1 : throw new InvalidOperationException("planted");

    private void Tell(string name, long now, long by)
    {
        var left = Proxy<CounterProxy>(Is(PlantedChange.OtherDestination, by) ? "elsewhere" : "left");
        var right = Proxy<CounterProxy>("right");
        string text = string.Create(CultureInfo.InvariantCulture, $"{name} {now}");
        if (Is(PlantedChange.OtherOrder, by))
        {
            right.ReportFork(name);
            left.ReportFork(text);
            return;
        }

        if (Is(PlantedChange.OtherMethod, by))
        {
            left.AlarmFork(text);
        }
        else
        {
            left.ReportFork(Is(PlantedChange.OtherContent, by) ? text + "!" : text);
        }

        if (!Is(PlantedChange.OneLess, by))
        {
            right.ReportFork(name);
        }

        if (Is(PlantedChange.OneMore, by))
        {
            right.ReportFork(name);
        }
    }
}
