using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>
/// The managed fallbacks, forced on Linux: coordinators and apps that make no call of Linux themselves, and are killed. It says nothing
/// about other systems.
/// </summary>
public sealed class FallbackTests(ITestOutputHelper output)
{
    private const string Variable = "AMBROSIA_MANAGED_FALLBACKS";
    private const int Kills = 10;
    private static readonly NodeSettings s_settings = NodeSettings.Small with { Environment = [(Variable, "1")] };

    [Fact]
    public async Task Nothing_is_lost_repeated_or_reordered_by_kills_on_managed_fallbacks()
    {
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        NodeUnderTest[] nodes = [new(sandbox, "n1", Layout.Sidecar, s_settings), new(sandbox, "n2", Layout.Embedded, s_settings)];
        var history = new History();
        var load = new Load(history, nodes, Settings.Seed, clientsPerNode: 4);
        await using var supervisor = new Supervisor(nodes, history);
        var chaos = new Chaos(sandbox, nodes, supervisor, Settings.Seed);
        supervisor.Start();
        await chaos.RecoverAsync(nodes);
        string said = nodes[0].Coordinator!.Output;
        Assert.Contains($"n1 runs on managed fallbacks ({Variable} is set): ", said, StringComparison.Ordinal);
        load.Start();
        foreach (string point in new[] { "K4", "K5", "K6" })
        {
            await chaos.DieAtAsync(Side.Coordinator, point, passings: 10, times: 1);
        }

        while (chaos.Kills < Kills)
        {
            await chaos.KillSomebodyAsync();
        }

        await chaos.RecoverAsync(nodes);
        await load.StopAsync(TimeSpan.FromSeconds(60));
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, TimeSpan.FromSeconds(60));
        sandbox.Say(chaos.Summary);
        sandbox.Say($"{history.Count} requests, {history.Answered} answered, {history.Unknown} with unknown outcome");
        Assert.Empty(violations.Take(50));
        Assert.True(history.Answered > chaos.Kills, "the clients got next to nothing done");
        await supervisor.StopAsync();
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task An_interrupt_at_the_terminal_leaves_the_embedded_coordinator_to_its_app()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = new(sandbox, "terminal", Layout.Embedded, s_settings);
        node.Start();
        Assert.Equal("42", await node.AskAsync("submit one Self terminal 0"));
        int coordinator = Assert.Single(node.App!.Children());
        Assert.Equal(0, Posix.Kill(coordinator, Posix.Interrupt)); // As a terminal does to all of a group.
        Assert.Equal("42", await node.AskAsync("submit two Self terminal 0"));
        Assert.Equal(coordinator, Assert.Single(node.App.Children()));
        node.App.Signal(Posix.Interrupt);
        await node.App.Exited.WaitAsync(TimeSpan.FromSeconds(30));
        Assert.Equal(0, node.App.ExitCode);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task What_is_no_socket_is_not_deleted()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = new(sandbox, "letter", Layout.Sidecar, s_settings);
        string path = Path.Combine(sandbox.Folder, "letter.sock");
        await File.WriteAllTextAsync(path, "a letter");
        Child coordinator = node.StartCoordinator();
        await coordinator.Exited.WaitAsync(TimeSpan.FromSeconds(30));
        Assert.Contains("IC-1011", coordinator.Output, StringComparison.Ordinal);
        Assert.Equal("a letter", await File.ReadAllTextAsync(path));
        sandbox.Passed();
    }
}
