using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>docs/internals/exactly-once.md H16: an instance that was erased and made again under its name.</summary>
public sealed class EraseTests(ITestOutputHelper output)
{
    [Fact]
    public async Task An_instance_that_is_erased_and_made_again_is_believed_by_its_peers()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest old = new(sandbox, "old", Layout.Sidecar, NodeSettings.Small);
        NodeUnderTest fresh = new(sandbox, "fresh", Layout.Sidecar, NodeSettings.Small);
        old.Start();
        fresh.Start();
        await fresh.AskAsync("submit a1 Await old 0");
        await fresh.AskAsync("submit a2 Await old 0");
        await old.AskAsync("submit b1 Await fresh 0");

        await fresh.KillAsync(Side.App);
        await fresh.KillAsync(Side.Coordinator);
        Child erase = Child.Start(sandbox, "erase", Executables.Command,
            ["erase", "fresh", "--yes", "--store", sandbox.Store, "--catalog", sandbox.Catalog]);
        await erase.Exited;
        Assert.True(erase.ExitCode == 0, erase.Output);
        fresh.Start();

        // Its messages begin at 1 again, to a peer that has logged 2 of its predecessor, and the peer's go on at 2.
        Assert.Equal("42", await fresh.AskAsync("submit c1 Await old 0"));
        Assert.Equal("42", await old.AskAsync("submit d1 Await fresh 0"));
        NodeReport report = await fresh.ReportAsync();
        Assert.Equal((1, 1), (report.FirstStarts, (int)report.Begun));
        Assert.Equal(1, report.Effects["d1 await"]);
        await sandbox.PassedAsync();
    }
}
