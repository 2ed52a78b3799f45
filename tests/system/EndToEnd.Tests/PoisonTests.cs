using System.Text.Json;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>Handlers that end their process, or never end, in real processes (docs/internals/exactly-once.md H8).</summary>
public sealed class PoisonTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData(0, "signal 6")] // Environment.FailFast
    [InlineData(1, "signal 6")] // A stack overflow: the runtime aborts.
    [InlineData(2, "exit code 7")]
    [InlineData(3, "signal 6")] // Out of memory: no handler's failure, so it ends the process.
    public async Task A_call_that_ends_its_app_is_held_quarantined_and_redriven_and_everything_else_is_served(int how, string end)
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest caller = Start(sandbox, "caller"), victim = Start(sandbox, "victim");
        Assert.Equal("42", await caller.AskAsync("submit before Await victim 0"));
        using GateClient client = await caller.ConnectAsync();
        Task<string> deadly = client.AskAsync($"submit deadly Poison victim {how}");
        Task<string> behind = client.AskAsync("submit behind Await victim 0");
        string hold = await DieUntilHeldAsync(victim);
        Assert.Contains("a call of method", hold, StringComparison.Ordinal);
        Assert.Contains($"from caller has ended the app 3 times running, last with {end}", hold, StringComparison.Ordinal);
        Assert.False(deadly.IsCompleted || behind.IsCompleted);

        string message = hold["on hold: message ".Length..hold.IndexOf(',', StringComparison.Ordinal)];
        Assert.Contains("on hold: message " + message, await CommandAsync(sandbox, victim, "list", "victim"), StringComparison.Ordinal);
        Assert.Contains("is quarantined", await CommandAsync(sandbox, victim, "quarantine", "victim", message), StringComparison.Ordinal);
        victim.StartApp();
        Assert.Equal("-7", await deadly.WaitAsync(s_patience));
        Assert.Equal("42", await behind.WaitAsync(s_patience));
        Assert.Equal("42", await caller.AskAsync("submit after Await victim 0"));
        await ReplayAgreesAsync(victim);

        string shown = await CommandAsync(sandbox, victim, "show", "victim", message);
        Assert.Contains(Convert.ToHexString("deadly"u8).ToLowerInvariant(), shown, StringComparison.Ordinal);
        await CureAsync(victim);
        Assert.Contains("as a new input", await CommandAsync(sandbox, victim, "redrive", "victim", message), StringComparison.Ordinal);
        await Wait.UntilAsync("the dead letter was executed", async () =>
            (await victim.ReportAsync()).Effects.GetValueOrDefault("deadly poison") == 1, s_patience);
        Assert.Contains("has no dead letters", await CommandAsync(sandbox, victim, "list", "victim"), StringComparison.Ordinal);
        await ReplayAgreesAsync(victim);
        Assert.Empty((await caller.ReportAsync()).Violations);
        sandbox.Say(hold);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_handler_that_never_ends_is_named_and_can_be_taken_out_while_it_runs()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest caller = Start(sandbox, "caller"), victim = Start(sandbox, "victim", "--watchdog", "2s");
        using GateClient client = await caller.ConnectAsync();
        Task<string> deadly = client.AskAsync("submit deadly Poison victim 9");
        string stuck = "";
        await Wait.UntilAsync("the handler was named", async () => (stuck = await FieldAsync(victim, "stuck")).Length > 0, s_patience);
        Assert.Contains("a call of method", stuck, StringComparison.Ordinal);
        Assert.Contains("from caller", stuck, StringComparison.Ordinal);
        Assert.Contains($"IC-1038 the app has been in one turn for", victim.Coordinator!.Output, StringComparison.Ordinal);
        Assert.False(victim.App!.HasExited);
        string message = stuck[..stuck.IndexOf(',', StringComparison.Ordinal)];
        Assert.Contains("is quarantined", await CommandAsync(sandbox, victim, "quarantine", "victim", message), StringComparison.Ordinal);
        await victim.KillAsync(Side.App);
        victim.StartApp();
        Assert.Equal("-7", await deadly.WaitAsync(s_patience));
        await ReplayAgreesAsync(victim);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_deadline_and_a_policy_take_an_endless_handler_out_without_anybody()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest caller = Start(sandbox, "caller"),
            victim = Start(sandbox, "victim", "--watchdog", "1s", "--handler-deadline", "2s", "--quarantine-after", "2");
        using GateClient client = await caller.ConnectAsync();
        Task<string> deadly = client.AskAsync("submit deadly Poison victim 9");
        await Wait.UntilAsync("the caller was told", () => { Revive(victim); return deadly.IsCompleted; }, s_patience);
        Assert.Equal("-7", await deadly);
        Assert.Contains("--quarantine-after", await CommandAsync(sandbox, victim, "list", "victim"), StringComparison.Ordinal);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task Kills_from_outside_in_the_same_handler_again_and_again_hold_nothing_up()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest caller = Start(sandbox, "caller"), victim = Start(sandbox, "victim", "--watchdog", "1s", "--quarantine-after", "2");
        using GateClient client = await caller.ConnectAsync();
        Task<string> deadly = client.AskAsync("submit deadly Poison victim 9");
        for (int i = 0; i < 4; i++)
        {
            await Wait.UntilAsync("it is in the handler", async () => (await FieldAsync(victim, "stuck")).Length > 0, s_patience);
            await victim.KillAsync(Side.App);
            victim.StartApp();
        }

        await Wait.UntilAsync("it is in the handler", async () => (await FieldAsync(victim, "stuck")).Length > 0, s_patience);
        Assert.Empty(await FieldAsync(victim, "onHold"));
        Assert.Contains("has no dead letters", await CommandAsync(sandbox, victim, "list", "victim"), StringComparison.Ordinal);
        Assert.False(deadly.IsCompleted);
        await CureAsync(victim);
        Assert.Equal("5", await deadly.WaitAsync(s_patience));
        await sandbox.PassedAsync();
    }

    private static NodeUnderTest Start(Sandbox sandbox, string name, params string[] options)
    {
        var node = new NodeUnderTest(sandbox, name, Layout.Sidecar, NodeSettings.Small with
            { CoordinatorArguments = [.. NodeSettings.Small.CoordinatorArguments, .. options] });
        node.Start();
        return node;
    }

    private static void Revive(NodeUnderTest node)
    {
        if (node.App!.HasExited)
        {
            node.StartApp();
        }
    }

    private static async Task<string> DieUntilHeldAsync(NodeUnderTest victim)
    {
        string hold = "";
        await Wait.UntilAsync("the instance is on hold", async () =>
        {
            Revive(victim);
            return (hold = await FieldAsync(victim, "onHold")).Length > 0;
        }, s_patience);
        await victim.App!.Exited; // Refused, if it came once more.
        return hold;
    }

    private static async Task<string> FieldAsync(NodeUnderTest node, string name)
    {
        JsonElement status = await Admin.StatusAsync(node);
        return status.GetProperty("app").GetProperty(name).GetString() ?? "";
    }

    /// <summary>From here on the poison does nothing: a fixed build, so to speak.</summary>
    private static async Task CureAsync(NodeUnderTest node)
    {
        await File.WriteAllTextAsync(node.GatePath + ".immune", "");
        await node.KillAsync(Side.App);
        node.StartApp();
    }

    /// <summary>Both processes are killed, before and after a checkpoint: what comes back has seen the same.</summary>
    private static async Task ReplayAgreesAsync(NodeUnderTest node)
    {
        string before = Comparable(await node.ReportAsync());
        for (int i = 0; i < 2; i++)
        {
            await node.KillAsync(Side.Coordinator);
            await node.KillAsync(Side.App);
            node.Start();
            Assert.Equal(before, Comparable(await node.ReportAsync()));
            await Admin.CheckpointAsync(node);
        }
    }

    private static string Comparable(NodeReport report) => JsonSerializer.Serialize(report);

    private static async Task<string> CommandAsync(Sandbox sandbox, NodeUnderTest node, params string[] arguments)
    {
        Child command = Child.Start(sandbox, "command", Executables.Command,
            ["deadletters", .. arguments, "--admin", "unix:" + node.AdminPath]);
        await command.Exited.WaitAsync(s_patience);
        return command.Output;
    }
}
