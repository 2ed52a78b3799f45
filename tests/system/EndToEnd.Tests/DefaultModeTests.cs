using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>What somebody sees who starts an app and gives no option: its coordinator is visible, says what it is, and leaves nothing to
/// repeat.</summary>
public sealed class DefaultModeTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(90);

    [Fact]
    public async Task Every_started_app_can_be_asked_by_the_command_without_an_option()
    {
        await using var sandbox = new Sandbox(output);
        Assert.Contains("There is no instance 'shown'", await CommandAsync(sandbox, "status", "shown"), StringComparison.Ordinal);
        var clock = Stopwatch.StartNew();
        Child app = StartApp(sandbox, "shown");
        await Wait.UntilAsync("it says something", () => app.Output.Length > 0, s_patience);
        double silent = clock.Elapsed.TotalMilliseconds;
        NodeUnderTest node = NodeOf(sandbox, "shown");
        Assert.Equal("42", await node.AskAsync("submit one Self shown 0"));
        sandbox.Say($"a newcomer's clock: first line after {silent:0} ms, first answer after {clock.Elapsed.TotalMilliseconds:0} ms");

        string status = await CommandAsync(sandbox, "status", "shown");
        Assert.Matches("role +primary", status);
        Assert.Contains("app at", status, StringComparison.Ordinal);
        Assert.Matches("shown +primary", await CommandAsync(sandbox, "top", "--once"));
        Assert.Contains("checkpoint at", await CommandAsync(sandbox, "checkpoint", "shown"), StringComparison.Ordinal);
        string folder = Path.Combine(sandbox.Folder, "instances", "shown");
        string line = Assert.Single(app.Output.Split('\n'), static line => line.Contains("is primary in epoch", StringComparison.Ordinal));
        Assert.Contains($"shown is primary in epoch 1, ready after", line, StringComparison.Ordinal);
        Assert.Contains($"; log: {folder}; build: ", line, StringComparison.Ordinal);
        Assert.Contains("; admin: unix:", line, StringComparison.Ordinal);
        Assert.Contains("; page: 'ambrosia debug shown --web'", line, StringComparison.Ordinal);
        app.Signal(Posix.Terminate);
        await app.Exited.WaitAsync(s_patience);
        Assert.Matches("state +stopped", await CommandAsync(sandbox, "status", "shown"));
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_clean_stop_leaves_nothing_to_execute_again()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = NodeOf(sandbox, "clean");
        for (int life = 0; life < 3; life++)
        {
            Child app = StartApp(sandbox, "clean");
            Assert.Equal("42", await node.AskAsync($"submit call{life} Self clean 0"));
            await node.AskAsync($"submit note{life} Note clean 0");
            Assert.Equal((2 * life) + 2, (await node.ReportAsync()).Begun);
            app.Signal(Posix.Terminate);
            await app.Exited.WaitAsync(s_patience);
            Assert.Equal(0, app.ExitCode);
            Assert.Contains(life == 0 ? "starts for the first time"
                : ": 0 records, 0 messages since its checkpoint", app.Output, StringComparison.Ordinal);
        }

        await sandbox.PassedAsync();
    }

    [Theory]
    [InlineData("0")]
    [InlineData("10s")]
    public async Task A_coordinator_that_is_stopped_takes_a_checkpoint_unless_it_is_told_not_to(string limit)
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = new(sandbox, "sidecar", Layout.Sidecar, NodeSettings.Small);
        Child first = node.StartCoordinator("", "--checkpoint-on-stop", limit);
        node.StartApp();
        Assert.Equal("42", await node.AskAsync("submit one Self sidecar 0"));
        first.Signal(Posix.Terminate);
        await first.Exited.WaitAsync(s_patience);
        Assert.Equal(0, first.ExitCode);

        await node.App!.Exited.WaitAsync(s_patience);
        node.Start();
        Assert.Equal(1, (await node.ReportAsync()).Begun);
        string recovered = Assert.Single(node.App.Output.Split('\n'), static line =>
            line.Contains("recovered in", StringComparison.Ordinal));
        Assert.Equal(limit == "10s", recovered.Contains(": 0 records", StringComparison.Ordinal));
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_second_start_says_at_once_who_holds_the_instance()
    {
        await using var sandbox = new Sandbox(output);
        Child first = StartApp(sandbox, "evo");
        await NodeOf(sandbox, "evo").AskAsync("submit one Note evo 0");
        int holder = Assert.Single(first.Children());
        var watch = Stopwatch.StartNew();
        Child second = StartApp(sandbox, "evo");
        await Wait.UntilAsync("it says so", () => second.Output.Contains("IC-3013", StringComparison.Ordinal), s_patience);

        sandbox.Say($"it took {watch.Elapsed.TotalMilliseconds:0} ms");
        Assert.Contains(
            $"Warning: Coordinator: IC-3013 instance evo is held by process {holder}, started by process {first.Id} (EndToEnd.App)",
            second.Output, StringComparison.Ordinal);
        Assert.Contains("stop that process or this one", second.Output, StringComparison.Ordinal);
        await first.KillAsync();
        Assert.Equal(1, (await NodeOf(sandbox, "evo").ReportAsync()).Begun); // Then it serves.
        await sandbox.PassedAsync();
    }

    [Theory]
    [InlineData(64, "--coordinator-arguments", "--segment-size many", "IC-1002")]
    [InlineData(42, "--store", "postgres://user:secret@localhost/bank", "IC-2046")]
    public async Task A_coordinator_that_refuses_ends_its_app_with_the_same_code_and_one_line(int code, string option, string value,
        string text)
    {
        await using var sandbox = new Sandbox(output);
        Child app = StartApp(sandbox, "refused", option, value);
        await app.Exited.WaitAsync(s_patience);

        Assert.Equal(code, app.ExitCode);
        string line = Assert.Single(app.Output.Split('\n'), static line => line.StartsWith("refused: ", StringComparison.Ordinal));
        Assert.Contains(text, line, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", app.Output, StringComparison.Ordinal);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_coordinator_that_finds_its_log_damaged_when_it_is_started_again_ends_its_app_with_its_code()
    {
        await using var sandbox = new Sandbox(output);
        Child app = StartApp(sandbox, "hurt");
        NodeUnderTest node = NodeOf(sandbox, "hurt");
        await node.AskAsync("submit one Note hurt 0");
        string folder = Path.Combine(sandbox.Folder, "instances", "hurt");
        await app.StopAsync(); // So that it is damaged before it is started again.
        int coordinator = Assert.Single(app.Children());
        _ = Posix.Kill(coordinator, Posix.SignalKill);
        string segment = Directory.EnumerateFiles(Path.Combine(folder, "log")).Order(StringComparer.Ordinal).Last();
        await using (FileStream file = File.OpenWrite(segment))
        {
            file.Write(new byte[64]);
        }

        app.Signal(Posix.Continue);
        await app.Exited.WaitAsync(s_patience);

        Assert.Equal(40, app.ExitCode);
        Assert.Contains("hurt: The coordinator of hurt ended with code 40 before it accepted the app: IC-2", app.Output,
            StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", app.Output, StringComparison.Ordinal);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_host_of_two_immortals_starts_the_one_that_a_tool_names_and_both_without_a_tool()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = NodeOf(sandbox, "one");
        Child host = StartHost(sandbox);
        Assert.Equal("42", await node.AskAsync("submit a Self one 0"));
        await Wait.UntilAsync("both act", () => host.Output.Contains("bystander is primary", StringComparison.Ordinal), s_patience);
        host.Signal(Posix.Terminate);
        await host.Exited.WaitAsync(s_patience);
        Assert.Equal(0, host.ExitCode);

        Child run = Child.Start(sandbox, "run", Executables.Command, ["run", "one", "--", Executables.App], ("E2E_GATE", node.GatePath),
            ("E2E_HOST_OF_TWO", "one"));
        Assert.Equal("42", await node.AskAsync("submit b Self one 0"));
        Assert.Contains("bystander does not start", run.Output, StringComparison.Ordinal);
        Assert.Matches("role +primary", await CommandAsync(sandbox, "status", "one"));
        run.Signal(Posix.Terminate);
        await run.Exited.WaitAsync(s_patience);
        Assert.Equal(0, run.ExitCode);

        Child verify = Child.Start(sandbox, "verify", Executables.Command, ["verify", "one", "--normal-priority", "--", Executables.App],
            ("E2E_GATE", node.GatePath), ("E2E_HOST_OF_TWO", "one"));
        await verify.Exited.WaitAsync(s_patience);
        Assert.Equal(0, verify.ExitCode);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_host_that_cannot_start_an_immortal_ends_with_the_documented_code_and_one_line()
    {
        await using var sandbox = new Sandbox(output);
        Child host = StartHost(sandbox, ("AMBROSIA_SOCKET", Path.Combine(sandbox.Folder, "nobody.sock")),
            ("AMBROSIA_INSTANCE_NAME", "other"));
        await host.Exited.WaitAsync(s_patience);

        Assert.Equal(64, host.ExitCode);
        Assert.DoesNotContain("   at ", host.Output, StringComparison.Ordinal);
        Assert.Contains("This host runs several immortals (one, bystander)", host.Output, StringComparison.Ordinal);

        Child lost = StartHost(
            sandbox, ("AMBROSIA_SOCKET", Path.Combine(sandbox.Folder, "nobody.sock")), ("AMBROSIA_INSTANCE_NAME", "one"),
            ("AMBROSIA_CONNECT_TIMEOUT", "0.2"));
        await lost.Exited.WaitAsync(s_patience);
        Assert.Equal(69, lost.ExitCode);
        Assert.DoesNotContain("   at ", lost.Output, StringComparison.Ordinal);
        Assert.Contains("No coordinator accepted one at", lost.Output, StringComparison.Ordinal);
        await sandbox.PassedAsync();
    }

    private static NodeUnderTest NodeOf(Sandbox sandbox, string name) => new(sandbox, name, Layout.Embedded, NodeSettings.Small);

    // As a newcomer starts it: nothing but a name.
    private static Child StartApp(Sandbox sandbox, string name, params string[] more) => Child.Start(
        sandbox, name + ".app", Executables.App, ["--instance-name", name, "--coordinator", Executables.Coordinator, .. more],
        ("E2E_GATE", NodeOf(sandbox, name).GatePath));

    private static Child StartHost(Sandbox sandbox, params (string Name, string Value)[] environment) => Child.Start(
        sandbox, "host", Executables.App, [],
        [("E2E_GATE", NodeOf(sandbox, "one").GatePath), ("E2E_HOST_OF_TWO", "one"), ("AMBROSIA_COORDINATOR", Executables.Coordinator),
            .. environment]);

    private static async Task<string> CommandAsync(Sandbox sandbox, params string[] arguments)
    {
        Child command = Child.Start(sandbox, "ambrosia", Executables.Command, arguments);
        await command.Exited.WaitAsync(s_patience);
        return command.Output;
    }
}
