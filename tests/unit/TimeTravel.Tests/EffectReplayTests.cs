using Ambrosia.Inspection.Text;
using Ambrosia.Primitives;
using Ambrosia.Replay;
using Ambrosia.TimeTravel.Comparing;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Tests.Apps;
using Ambrosia.TimeTravel.Tests.Support;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Tests;

/// <summary>docs/internals/effect-rules.md E23: a replay shows which effects are asked for and how they ended, performs none, and compares
/// them.</summary>
public sealed class EffectReplayTests(KioskLog log) : IClassFixture<KioskLog>
{
    [Fact]
    public async Task A_message_shows_the_effect_that_it_asked_for_and_the_log_its_outcome()
    {
        int performed = log.Printer.Printed.Count;
        await using Replay<Kiosk> replay = await ImmortalReplay.From(log.Folder).Checkpoint(0).OpenAsync<Kiosk>();
        Assert.True(await replay.Traveler.RunAsync(static message => IsSale(message, Kiosk.Changed)));
        await replay.Traveler.StepAsync();
        MessageEffect made = (await replay.Traveler.ExamineAsync())!;

        Position sale = made.Message.Position;
        Assert.Equal(
            $"asks for effect {sale.Lsn}:{sale.Index}:0: Ambrosia.TimeTravel.Tests.Apps.IReceipts.Print(\"tea\",7)",
            MessageText.Line(Assert.Single(made.Asked)));
        while (!IsOutcomeOf((await replay.Traveler.PeekAsync())!.Value, sale))
        {
            await replay.Traveler.StepAsync();
        }

        LoggedMessage outcome = (await replay.Traveler.PeekAsync())!.Value;
        Assert.EndsWith($"impulse effect({sale.Lsn}:{sale.Index}:0, 1 attempt, \"7 of tea\")",
            MessageText.Line(outcome, new MethodNames()), StringComparison.Ordinal);
        await replay.Traveler.StepAsync();
        Assert.Empty(replay.Traveler.LastEffects);
        Assert.Equal(performed, log.Printer.Printed.Count);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Equal_code_asks_for_the_same_effects(bool against)
    {
        RetroactiveReport report = await RunAsync(KioskChange.None, against);
        Assert.True(report.IsSame, Text(report));
        Assert.Equal(KioskLog.Sales, report.Effects);
        Assert.Contains("20 effects asked for, none performed", Text(report), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(KioskChange.OneMore, true, "asks for 2 effects instead of 1: *Open(), *Print(\"tea\",7) instead of *Print(\"tea\",7)")]
    [InlineData(KioskChange.OneLess, true, "asks for 0 effects instead of 1: none instead of *Print(\"tea\",7)")]
    [InlineData(KioskChange.OtherArguments, true, "asks for *Print(\"tea\",8) instead of *Print(\"tea\",7)")]
    [InlineData(KioskChange.OneMore, false,
        "asks for *Open() as effect KEY; the outcome at PLACE is of another method or of other arguments")]
    [InlineData(KioskChange.OneLess, false, "does not ask for effect KEY, whose outcome is in the log at PLACE")]
    [InlineData(KioskChange.OtherArguments, false,
        "asks for *Print(\"tea\",8) as effect KEY; the outcome at PLACE is of another method or of other arguments")]
    public async Task Other_effects_are_a_difference_of_the_message_that_asks_for_them(KioskChange change, bool against, string text)
    {
        RetroactiveReport report = await RunAsync(change, against);

        Difference first = Assert.Single(report.Differences, static difference => difference.Kind == DifferenceKind.Effect);
        (Position sale, Position outcome) = await FindAsync();
        Assert.Equal(sale, first.At);
        Assert.Equal(MessageKind.Impulse, first.Message!.Kind);
        Assert.Equal(
            text.Replace("*", "Ambrosia.TimeTravel.Tests.Apps.IReceipts.", StringComparison.Ordinal)
                .Replace("KEY", $"{sale.Lsn}:{sale.Index}:0", StringComparison.Ordinal)
                .Replace("PLACE", outcome.ToString(), StringComparison.Ordinal),
            first.Text);
    }

    [Fact] // What was asked for before the beginning is not known.
    public async Task Outcomes_of_what_was_asked_for_before_the_run_are_no_difference()
    {
        await using ReplayLog opened = await ReplayLog.OpenFolderAsync(log.Folder);
        foreach (ulong checkpoint in opened.Checkpoints)
        {
            await using var app = new ObjectApp(static () => new Kiosk(), opened.Instance);
            RetroactiveReport report = await RetroactiveRun.RunAsync(opened, app, null, new RetroactiveOptions { From = checkpoint });
            Assert.True(report.IsSame, Text(report));
        }
    }

    private static string Text(RetroactiveReport report) => ReportText.People(report, new MethodNames(), "same");

    private static bool IsSale(LoggedMessage message, int copies) =>
        message.Kind == MessageKind.Impulse && CallText.Json(message.Body) == $"[\"tea\",{copies}]";

    private static bool IsOutcomeOf(LoggedMessage message, Position sale) =>
        message.Kind == MessageKind.Impulse && MessageText.Line(message, new MethodNames()).Contains(
            $"effect({sale.Lsn}:{sale.Index}:0,", StringComparison.Ordinal);

    private async Task<(Position Sale, Position Outcome)> FindAsync()
    {
        await using ReplayLog opened = await ReplayLog.OpenFolderAsync(log.Folder);
        Position? sale = null;
        for (ulong lsn = 1; await opened.ReadAsync(lsn) is { } record; lsn++)
        {
            for (int i = 0; i < record.Count; i++)
            {
                sale ??= IsSale(record[i], Kiosk.Changed) ? record[i].Position : null;
                if (sale is { } found && IsOutcomeOf(record[i], found))
                {
                    return (found, record[i].Position);
                }
            }
        }

        throw new InvalidOperationException("The log does not hold the sale and its outcome.");
    }

    private async Task<RetroactiveReport> RunAsync(KioskChange change, bool against)
    {
        await using ReplayLog opened = await ReplayLog.OpenFolderAsync(log.Folder);
        await using var changed = new ObjectApp(() => new Kiosk(change), opened.Instance);
        await using ObjectApp? old = against ? new ObjectApp(static () => new Kiosk(), opened.Instance) : null;
        return await RetroactiveRun.RunAsync(opened, changed, old, new RetroactiveOptions { From = 0, CompareStates = false });
    }
}
