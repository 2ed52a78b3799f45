using Ambrosia.Inspection.Text;
using Ambrosia.Replay;
using Ambrosia.TimeTravel.Comparing;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Tests.Apps;
using Ambrosia.TimeTravel.Tests.Support;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Tests;

/// <summary>docs/internals/routines.md: a replay follows the log's steps, and needs no rules of time zones.</summary>
public sealed class ScheduleReplayTests(WatchmanLog log) : IClassFixture<WatchmanLog>
{
    [Fact]
    public async Task A_step_says_in_the_log_which_occurrence_it_chooses()
    {
        await using Replay<Watchman> replay = await ImmortalReplay.From(log.Folder).Checkpoint(0).OpenAsync<Watchman>();
        Assert.True(await replay.Traveler.RunAsync(static message => Line(message).Contains("schedule(", StringComparison.Ordinal)));
        Assert.Matches("impulse schedule\\(\"rounds\", next [0-9-]+ [0-9:]+Z\\)$", Line((await replay.Traveler.PeekAsync())!.Value));
    }

    [Fact]
    public async Task A_step_says_in_the_log_what_it_runs_and_what_comes_next()
    {
        await using Replay<Watchman> replay = await ImmortalReplay.From(log.Folder).Checkpoint(0).OpenAsync<Watchman>();
        Assert.True(await replay.Traveler.RunAsync(static message => Line(message).Contains(", runs ", StringComparison.Ordinal)));
        Assert.Matches("impulse schedule\\(\"rounds\", runs [0-9-]+ [0-9:]+Z, next [0-9-]+ [0-9:]+Z\\)$",
            Line((await replay.Traveler.PeekAsync())!.Value));
        Assert.Empty(replay.Immortal.Seen);
        await replay.Traveler.StepAsync();
        Assert.StartsWith("yard ", Assert.Single(replay.Immortal.Seen), StringComparison.Ordinal);
    }

    [Fact] // The zone is known to nobody here.
    public async Task Equal_code_runs_the_same_occurrences_from_every_checkpoint()
    {
        await using ReplayLog opened = await ReplayLog.OpenFolderAsync(log.Folder);
        Assert.True(opened.Checkpoints.Count > 1);
        foreach (ulong checkpoint in opened.Checkpoints)
        {
            await using var app = new ObjectApp(static () => new Watchman(), opened.Instance);
            await using var old = new ObjectApp(static () => new Watchman(), opened.Instance);
            RetroactiveReport report = await RetroactiveRun.RunAsync(opened, app, old, new RetroactiveOptions { From = checkpoint });
            Assert.True(report.IsSame, ReportText.People(report, new MethodNames(), "same"));
        }
    }

    private static string Line(LoggedMessage message) => MessageText.Line(message, new MethodNames());
}
