using Ambrosia.Inspection.Text;
using Ambrosia.Primitives;
using Ambrosia.Replay;
using Ambrosia.TimeTravel.Comparing;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Tests.Apps;
using Ambrosia.TimeTravel.Tests.Support;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Tests;

/// <summary>G12: the same replay against new code, and the first thing that it does otherwise.</summary>
public sealed class RetroactiveTests(CounterLog log) : IClassFixture<CounterLog>
{
    [Fact]
    public async Task Equal_code_makes_no_difference_against_itself_and_against_the_log()
    {
        RetroactiveReport both = await RunAsync(PlantedChange.None, against: true);
        Assert.True(both.IsSame, Text(both));
        Assert.True(both.Messages > 2 * CounterLog.Ticks && both.StatesCompared > 1, Text(both));
        RetroactiveReport alone = await RunAsync(PlantedChange.None, against: false);
        Assert.True(alone.IsSame, Text(alone));
        Assert.True(alone.DigestsCompared > 20 && alone.StatesCompared > 1, Text(alone));
        Assert.Equal(both.Messages, alone.Messages);
    }

    [Theory]
    [InlineData(PlantedChange.OneMore, DifferenceKind.Number)]
    [InlineData(PlantedChange.OneLess, DifferenceKind.Number)]
    [InlineData(PlantedChange.OtherDestination, DifferenceKind.Destination)]
    [InlineData(PlantedChange.OtherOrder, DifferenceKind.Destination)]
    [InlineData(PlantedChange.OtherMethod, DifferenceKind.Method)]
    [InlineData(PlantedChange.OtherContent, DifferenceKind.Content)]
    [InlineData(PlantedChange.OtherResult, DifferenceKind.Content)]
    [InlineData(PlantedChange.ExceptionInsteadOfValue, DifferenceKind.Method)]
    [InlineData(PlantedChange.Fault, DifferenceKind.Fault)]
    [InlineData(PlantedChange.State, DifferenceKind.Content)]
    public async Task A_planted_change_is_reported_with_the_first_message_that_it_touches(PlantedChange change, DifferenceKind kind)
    {
        RetroactiveReport report = await RunAsync(change, against: true);
        Assert.False(report.IsSame);
        Difference first = report.Differences[0];
        Assert.Equal((await ExpectedAsync(change), kind), (first.At, first.Kind));
        Assert.NotNull(first.Message);
    }

    [Theory]
    [InlineData(PlantedChange.OneMore)]
    [InlineData(PlantedChange.OtherDestination)]
    [InlineData(PlantedChange.OtherOrder)]
    public async Task Without_the_old_version_the_log_itself_names_the_record(PlantedChange change)
    {
        RetroactiveReport report = await RunAsync(change, against: false);
        Assert.False(report.IsSame);
        Assert.Equal((await ExpectedAsync(change)).Lsn, report.Differences[0].At.Lsn);
    }

    [Fact]
    public async Task A_state_that_goes_its_own_way_is_found_though_nothing_is_sent()
    {
        await using ReplayLog opened = await ReplayLog.OpenFolderAsync(log.Folder);
        await using var silent = new ObjectApp(static () => new Counter(PlantedChange.SilentState), opened.Instance);
        await using var old = new ObjectApp(static () => new Counter(), opened.Instance);
        RetroactiveReport report = await RetroactiveRun.RunAsync(opened, silent, old);
        Difference difference = Assert.Single(report.Differences);
        Assert.Equal((await ExpectedAsync(PlantedChange.State), DifferenceKind.State), (difference.At, difference.Kind));
        Assert.Contains("_silent", difference.Text, StringComparison.Ordinal);
        await using var alone = new ObjectApp(static () => new Counter(PlantedChange.SilentState), opened.Instance);
        RetroactiveReport againstLog = await RetroactiveRun.RunAsync(opened, alone, null);
        Assert.Equal(DifferenceKind.State, Assert.Single(againstLog.Differences).Kind);
    }

    [Fact]
    public async Task Handlers_that_throw_though_nobody_waits_are_counted_against_a_log_that_does_not_tell_of_them()
    {
        RetroactiveReport report = await RunAsync(PlantedChange.Fault, against: false);
        Assert.Equal(1, report.Faults);
        Assert.Contains("1 handler threw, and nobody waited for them; whether they did before is in no log", Text(report),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Reports_are_for_people_and_for_pipelines()
    {
        RetroactiveReport report = await RunAsync(PlantedChange.OtherContent, against: true);
        var names = new MethodNames();
        names.AddAssemblies(typeof(Counter).Assembly.Location);
        string people = ReportText.People(report, names, "same");
        Assert.Contains("Count", people, StringComparison.Ordinal);
        Assert.Contains("| now", people, StringComparison.Ordinal);
        string junit = ReportText.JUnit(report, names);
        Assert.Contains("<failure type=\"Content\"", junit, StringComparison.Ordinal);
        Assert.Contains("byMethod", System.Text.Json.JsonSerializer.Serialize(ReportText.Data(report, names)), StringComparison.Ordinal);
    }

    private static string Text(RetroactiveReport report) => ReportText.People(report, new MethodNames(), "same");

    private async Task<RetroactiveReport> RunAsync(PlantedChange change, bool against)
    {
        await using ReplayLog opened = await ReplayLog.OpenFolderAsync(log.Folder);
        await using var changed = new ObjectApp(() => new Counter(change), opened.Instance);
        await using ObjectApp? old = against ? new ObjectApp(static () => new Counter(), opened.Instance) : null;
        return await RetroactiveRun.RunAsync(opened, changed, old);
    }

    // Where a change must show first, counted from the log's bytes alone.
    private async Task<Position> ExpectedAsync(PlantedChange change)
    {
        var names = new MethodNames();
        names.AddAssemblies(typeof(Counter).Assembly.Location);
        await using ReplayLog opened = await ReplayLog.OpenFolderAsync(log.Folder);
        long handled = 0;
        for (ulong lsn = 1; await opened.ReadAsync(lsn) is { } record; lsn++)
        {
            for (int i = 0; i < record.Count; i++)
            {
                LoggedMessage message = record[i];
                bool tick = message.Kind == MessageKind.Impulse;
                bool count = message.Kind is MessageKind.Call or MessageKind.Fork && names.IsNamed(message.MethodId, "Count");
                handled += tick || count ? 1 : 0;
                long by = tick || count ? MessagePackText.ToJson(message.Body)![1]!.GetValue<long>() : 0;
                if (change switch
                {
                    PlantedChange.Fault => tick && by == Trigger.By,
                    PlantedChange.OtherResult or PlantedChange.ExceptionInsteadOfValue =>
                        message.Kind == MessageKind.Call && count && by == 1 && handled > Trigger.Handled,
                    _ => count && by == Trigger.By,
                })
                {
                    return message.Position;
                }
            }
        }

        throw new InvalidOperationException("The log does not hold what the change waits for.");
    }
}
