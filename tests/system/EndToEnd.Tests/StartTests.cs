using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>How coordinators refuse and wait.</summary>
public sealed class StartTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData("--peer-address", "tcp:300.1.2.3:99999")]
    [InlineData("--segment-size", "many")]
    [InlineData("--instance-name", "../../etc")]
    [InlineData("--max-lagg", "1GiB")]
    [InlineData("--store", "ftp:/nowhere")]
    public async Task A_wrong_option_stops_the_coordinator_with_a_sentence(string option, string value)
    {
        await using var sandbox = new Sandbox(output);
        string[] arguments = option == "--instance-name" ? [option, value] : ["--instance-name", "n1", option, value];
        Child coordinator = Child.Start(sandbox, "wrong", Executables.Coordinator, arguments);
        await coordinator.Exited.WaitAsync(s_patience);

        Assert.Contains(coordinator.ExitCode, new[] { 64, 42 });
        Assert.Matches("IC-[0-9]{4}", coordinator.Output);
        Assert.DoesNotContain("   at ", coordinator.Output, StringComparison.Ordinal);
        sandbox.Say(coordinator.Output);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_second_coordinator_of_an_instance_waits_and_takes_over_when_the_first_dies()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = new(sandbox, "twice", Layout.Sidecar, NodeSettings.Small);
        Child first = node.StartCoordinator();
        node.StartApp();
        await node.AskAsync("submit one Note twice 0");
        Child second = node.StartCoordinator();
        // It cannot serve; the first one still does.
        Assert.Equal("42", await node.AskAsync("submit two Self twice 0"));
        Assert.False(first.HasExited);
        Assert.False(second.HasExited, second.Output);

        await first.KillAsync();
        Assert.Equal("42", await node.AskAsync("submit three Self twice 0"));
        NodeReport report = await node.ReportAsync();
        Assert.Equal((3, 3, 1), (report.Begun, report.Ended, report.FirstStarts));
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_coordinator_that_is_asked_to_stop_drains_and_ends_with_code_0()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = new(sandbox, "calm", Layout.Sidecar, NodeSettings.Small);
        node.Start();
        await node.AskAsync("submit one Self calm 0");
        node.Coordinator!.Signal(Posix.Terminate);
        await node.Coordinator.Exited.WaitAsync(s_patience);
        await node.App!.Exited.WaitAsync(s_patience);

        Assert.Equal(0, node.Coordinator.ExitCode);
        Assert.DoesNotContain("   at ", node.Coordinator.Output + node.App.Output, StringComparison.Ordinal);
        node.Start();
        Assert.Equal(1, (await node.ReportAsync()).Begun);
        await sandbox.PassedAsync();
    }
}
