using Ambrosia.CrashPoints.Tests.Scripts;
using Ambrosia.CrashPoints.Tests.States;
using Ambrosia.LogStore.Files.Memory;
using Xunit.Abstractions;

namespace Ambrosia.CrashPoints.Tests;

/// <summary>The same for a whole coordinator with its app: after a cut at every disk operation the chain of calls goes on where it
/// was.</summary>
public sealed class CoreCrashTests(ITestOutputHelper output)
{
    private const ulong Last = 24;

    [Fact]
    public void A_chain_of_calls_is_neither_broken_nor_doubled_by_a_cut_at_any_operation()
    {
        var tally = new CrashTally();
        var script = new CoreScript(Last);
        var disk = new MemoryFileSystem();
        var explorer = new CrashExplorer(tally, new Random(1), Amount.StatesPerPoint / 16 + 1, (state, _) => script.Recover(state))
            { Disk = disk, CutRecoveriesOneIn = 150 };
        disk.Faults = explorer;
        string? violation = script.Run(disk, 10, Last) ?? explorer.Violation;
        Assert.True(violation is null, violation);
        Report.Add(output, $"coordinator and app: {tally.Points} crash points, {tally.States} different states recovered from, "
            + $"{tally.SecondCrashes} recoveries cut as well");
        // A hunt for planted bugs looks at a few states of each point only; the full amount must have looked at many.
        bool full = Amount.StatesPerPoint >= 64;
        Assert.True(full ? tally.States > tally.Points / 4 && tally.SecondCrashes > 0 : tally.States > 0, $"{tally}");
    }
}
