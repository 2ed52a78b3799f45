using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Ambrosia.Replay;
using Ambrosia.TimeTravel.Comparing;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Tests.Apps;
using Ambrosia.TimeTravel.Tests.Support;

namespace Ambrosia.TimeTravel.Tests;

/// <summary>Looking back at an instance that works, and lets go of its log meanwhile.</summary>
public sealed class BusyInstanceTests
{
    [Fact]
    public async Task A_journey_keeps_what_there_was_when_it_began()
    {
        await using var tally = TallyLog.StartForgetful();
        await tally.WorkAsync(40_000);
        await using ReplayLog log = await ReplayLog.OpenFolderAsync(tally.Folder, holds: true);
        ulong beginning = log.Beginning;
        await LetGoAsync(tally, beginning);

        await using var app = new ObjectApp(static () => new Tally(), log.Instance);
        RetroactiveReport report = await RetroactiveRun.RunAsync(log, app, null);
        Assert.True(report.IsSame && report.Cut is null, ReportText.People(report, new(), "same"));
        Assert.True(report.Messages > 100, ReportText.People(report, new(), "same"));
        Assert.Equal(beginning, report.From);

        await using var again = new ObjectApp(static () => new Tally(), log.Instance);
        await using TimeTraveler traveler = await TimeTraveler.OpenAsync(log, again);
        Assert.True(await traveler.StepAsync());
        await traveler.RunAsync(static _ => false);
        Assert.True(await traveler.BackAsync(50));
        Assert.Equal(Position.After(beginning), traveler.Start);
        await traveler.GoToAsync(traveler.Start);
    }

    [Fact]
    public async Task Where_nothing_can_be_held_a_journey_begins_with_a_newer_checkpoint_by_itself()
    {
        await using var tally = TallyLog.StartForgetful();
        await tally.WorkAsync(40_000);
        await using ReplayLog log = await OpenFarAsync(tally);
        ulong beginning = log.Beginning;
        await LetGoAsync(tally, beginning);
        await tally.StopAsync(); // It would let go of more between the opening and the step, which nothing promises to survive.

        await using var app = new ObjectApp(static () => new Tally(), log.Instance);
        await using TimeTraveler traveler = await TimeTraveler.OpenAsync(log, app);
        Assert.True(traveler.Start > Position.After(beginning), $"{traveler.Start} instead of {beginning}");
        Assert.True(await traveler.StepAsync());
    }

    [Fact]
    public async Task The_end_of_what_is_kept_is_no_difference()
    {
        await using var tally = TallyLog.StartForgetful();
        await tally.WorkAsync(40_000);
        await using ReplayLog log = await OpenFarAsync(tally);
        ulong beginning = log.Beginning;
        await using var app = new ObjectApp(static () => new Tally(), log.Instance);
        bool letGo = false;
        RetroactiveReport report = await RetroactiveRun.RunAsync(log, new Meanwhile(app, async () =>
        {
            letGo = true;
            await LetGoAsync(tally, beginning);
        }), null);
        Assert.True(letGo);
        Assert.True(report.IsSame, ReportText.People(report, new(), "same"));
        Assert.Contains("no longer kept", report.Cut, StringComparison.Ordinal);
        Assert.Contains("the run ended early", ReportText.People(report, new(), "same"), StringComparison.Ordinal);
    }

    private static Task<ReplayLog> OpenFarAsync(TallyLog tally) =>
        ReplayLog.OpenAsync($"far:{Path.GetDirectoryName(tally.Folder)}", "tally", new LogStoreOptions
            { Cluster = "default" }, FarStorage.Environment);

    // Has it work until the log after this checkpoint is gone, and the checkpoint with it.
    private static async Task LetGoAsync(TallyLog tally, ulong checkpoint)
    {
        while (true)
        {
            await tally.WorkAsync(20_000);
            await using ReplayLog now = await ReplayLog.OpenFolderAsync(tally.Folder);
            if (now.OldestLsn > checkpoint + 200 && !now.Checkpoints.Contains(checkpoint))
            {
                return;
            }
        }
    }
}
