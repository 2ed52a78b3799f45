using Ambrosia.TimeTravel.Tests.Support;

namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>What it has seen is state, so a replay that ran other occurrences would end in another one.</summary>
public sealed class Watchman : WatchmanBase
{
    public List<string> Seen { get; } = [];

    public override DurableTask Begin(string zone)
    {
        This.Every("rounds", "* * * * * *", zone, Missed.All).LookFork("yard");
        return default;
    }

    public override DurableTask<int> Rounds() => Seen.Count;

    public override DurableTask Look(string where)
    {
        Seen.Add($"{where} {Occurrence?.Due:O}");
        return default;
    }

    protected override void BecomingPrimary(ImmortalContext context) => WatchmanLog.Opened(context, This);
}
