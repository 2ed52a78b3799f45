using Ambrosia.Replay;
using Ambrosia.TimeTravel.Comparing;
using Ambrosia.TimeTravel.Tests.Apps;
using Ambrosia.TimeTravel.Tests.Support;

namespace Ambrosia.TimeTravel.Tests;

/// <summary>
/// A log of each released format is kept in the repository and replayed by every build, from its first record and from its checkpoints.
/// What breaks one of these tests breaks somebody's instance. A new format gets new logs (AMBROSIA_GOLDEN=folder writes them); those that
/// are there are never written again.
/// </summary>
public sealed class GoldenLogTests
{
    private const string CounterFolder = "Golden/format-1/counter";
    private const string LedgerFolder = "Golden/format-1/ledger";

    [RetroactiveTest(CounterFolder)]
    public async Task This_build_does_what_a_log_of_the_first_format_says_that_its_writer_did(RetroactiveLog log)
    {
        RetroactiveReport report = await log.Verify<Counter>();
        Assert.True(report.Messages > 100 && report.DigestsCompared > 10
            && report.StatesCompared > 2, $"{report.Messages} messages, {report.DigestsCompared} digests, {report.StatesCompared} states");
    }

    [RetroactiveTest(LedgerFolder)]
    public async Task It_does_so_with_awaits_timers_and_replies_in_the_log(RetroactiveLog log)
    {
        RetroactiveReport report = await log.Verify<Ledger>(new RetroactiveOptions { From = 0, CompareStates = false });
        Assert.True(report.Messages > 200 && report.DigestsCompared > 10, $"{report.Messages} messages, {report.DigestsCompared} digests");
    }

    [Fact]
    public async Task Outputs_and_state_are_those_of_the_build_that_wrote_the_counters_log() => await CompareAsync<Counter>("counter");

    [Fact]
    public async Task Outputs_and_state_are_those_of_the_build_that_wrote_the_ledgers_log() => await CompareAsync<Ledger>("ledger");

    [Fact]
    public async Task The_checkpoints_of_the_first_format_lead_to_the_same_state()
    {
        GoldenLog expected = GoldenLog.Read("counter");
        await using Log.ReplayLog log = await Log.ReplayLog.OpenFolderAsync(GoldenLog.FolderOf("counter"));
        Assert.True(log.Checkpoints.Count > 2, $"{log.Checkpoints.Count} checkpoints");
        foreach (ulong checkpoint in log.Checkpoints.Where(lsn => Position.After(lsn) < At(expected)))
        {
            GoldenLog actual = await GoldenLog.ReplayAsync<Counter>(GoldenLog.FolderOf("counter"), checkpoint, At(expected));
            Assert.Equal((expected.At, expected.StateHash), (actual.At, actual.StateHash));
        }
    }

    [Fact]
    public async Task A_log_that_is_to_be_kept_comes_to_the_same_when_it_is_read_again()
    {
        using var scratch = new Scratch();
        string target = Environment.GetEnvironmentVariable("AMBROSIA_GOLDEN") is { Length: > 0 } folder ? folder
            : Path.Combine(scratch.Path, "kept");
        await CounterLog.MakeAsync(Path.Combine(scratch.Path, "c"), static () => new Counter(), 900, small: true);
        await GoldenLog.KeepAsync<Counter>(Path.Combine(scratch.Path, "c", "store", "counter"), Path.Combine(target, "counter"));
        await using (LedgerWorld world = LedgerWorld.Start<Ledger>(Path.Combine(scratch.Path, "l"), static options =>
            (options.CheckpointEvery, options.SegmentSize) = (8 << 10, 64 << 10)))
        {
            await world.PayAsync(400, atOnce: 5);
        }

        await GoldenLog.KeepAsync<Ledger>(Path.Combine(scratch.Path, "l", "store", "ledger"), Path.Combine(target, "ledger"));
        await new RetroactiveLog(Path.Combine(target, "counter")).Verify<Counter>();
        await new RetroactiveLog(Path.Combine(target, "ledger")).Verify<Ledger>();
    }

    private static Position At(GoldenLog golden) =>
        Position.TryParse(golden.At, out Position position) ? position : throw new InvalidOperationException($"{golden.At} is no position");

    private static async Task CompareAsync<T>(string name)
        where T : Immortal, new()
    {
        GoldenLog expected = GoldenLog.Read(name);
        Assert.True(expected.Messages > 100 && expected.Outputs > 100, $"{expected.Messages} messages, {expected.Outputs} outputs");
        Assert.Equal(expected, await GoldenLog.ReplayAsync<T>(GoldenLog.FolderOf(name), checkpoint: 0, At(expected)));
    }
}
