using Ambrosia.CrashPoints.Tests.Scripts;
using Ambrosia.CrashPoints.Tests.States;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Tests.Support;
using Xunit.Abstractions;

namespace Ambrosia.CrashPoints.Tests;

/// <summary>Every crash point of the log store's scripts, times what a power cut may leave there, times a second crash in the recovery
/// (ALICE, OSDI 2014).</summary>
public sealed class LogCrashTests(ITestOutputHelper output)
{
    private static readonly LogStoreOptions s_small = new()
        { SegmentSize = 64 * 1024, PageSize = 4096, ZeroAhead = 0, SpareSegments = 0, CheckpointBlockSize = 4096 };

    [Fact]
    public void What_was_promised_holds_and_nothing_else_is_there_after_a_cut_at_every_operation()
    {
        LogStoreOptions options = s_small with { PageSize = 32 * 1024 };
        int states = Explore("records below a sector", options, lives: 2, records: 12, largest: 300, checkpointEvery: 5)
            + Explore("records over many sectors, new segments, retention", options, lives: 2, records: 24, largest: 14_000,
                checkpointEvery: 4)
            + Explore("used segments written again, zeros ahead", options with
                { SpareSegments = 1, ZeroAhead = 256 * 1024 }, lives: 2, records: 22, largest: 20_000, checkpointEvery: 3)
            + Explore("new segments get their names as links", options with { SpareSegments = 2 }, lives: 3, records: 16, largest: 20_000,
                checkpointEvery: 3, links: true)
            + Explore("many short lives", options, lives: 6, records: 2, largest: 6_000, checkpointEvery: 2);
        Report.Add(output, $"log store: {states} different states");
        Assert.True(states >= Amount.LeastStates, $"only {states} states");
    }

    [Theory]
    [InlineData(false, 0)]
    [InlineData(true, 1)] // Every segment but the first few is one that was used before, and gets its name in two steps.
    public void What_a_killed_process_left_unsynced_is_no_ground_to_stand_on_for_the_next(bool links, int spares)
    {
        var tally = new CrashTally();
        int kills = 0;
        for (int at = 1; ; at += Amount.KillStep)
        {
            var disk = new MemoryFileSystem { LinksToRename = links };
            (int records, int largest) = links ? (22, 20_000) : (8, 12_000);
            var script = new LogScript(s_small with { PageSize = 32 * 1024, SpareSegments = spares }, 2, records, largest, 3, tally);
            var killer = new CrashExplorer(tally, new Random(at), 1, static (_, _) => null)
                { Disk = disk, KilledAt = at, Watching = false };
            disk.Faults = killer;
            bool killed = false;
            try
            {
                SingleThread.Run(() => script.RunAsync(disk));
            }
            catch (IOException)
            {
                killed = true;
            }

            if (!killed)
            {
                break;
            }

            // Its successor sees everything that it wrote; then the power goes as well, and what was never synced may be gone.
            kills++;
            var explorer = new CrashExplorer(tally, new Random(at), Amount.StatesPerPoint / 4 + 1, (state, _) => script.Recover(state))
                { Disk = disk };
            disk.Faults = explorer;
            string? violation = script.Continue(disk) ?? explorer.Violation;
            Assert.True(violation is null, $"killed at operation {at}: {violation}");
        }

        Report.Add(output, $"killed, then cut: {kills} kills, {tally}");
        Assert.True(kills > 20 && tally.States > kills, $"{kills} kills, {tally}");
    }

    private int Explore(string name, LogStoreOptions options, int lives, int records, int largest, int checkpointEvery, bool links = false)
    {
        var tally = new CrashTally();
        var script = new LogScript(options, lives, records, largest, checkpointEvery, tally);
        var disk = new MemoryFileSystem { LinksToRename = links };
        var explorer = new CrashExplorer(tally, new Random(1), Amount.StatesPerPoint, (state, _) => script.Recover(state))
            { Disk = disk, CutRecoveriesOneIn = 50 };
        disk.Faults = explorer;
        SingleThread.Run(() => script.RunAsync(disk));
        Assert.True(explorer.Violation is null, $"{name}: {explorer.Violation}");
        Report.Add(output, $"{name}: {tally}");
        Assert.True(tally is { SecondCrashes: > 0, UnacknowledgedKept: > 0, FromCheckpoint: > 0 }, $"{name}: {tally}");
        return tally.States;
    }
}
