using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>The <c>ambrosia</c> command on running instances.</summary>
public sealed class CommandTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task Run_starts_both_processes_again_when_they_are_killed_and_the_other_verbs_find_them()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = new(sandbox, "kept", Layout.Sidecar, NodeSettings.Small);
        Child run = Child.Start(
            sandbox, "ambrosia", Executables.Command,
            ["run", "kept", "--store", sandbox.Store, "--catalog", sandbox.Catalog, "--", Executables.App],
            ("E2E_GATE", node.GatePath));
        await node.AskAsync("submit one Note kept 0");
        for (int i = 0; i < 2; i++)
        {
            // The elder of the two: first the coordinator, then the app.
            Assert.Equal(2, run.Children().Count);
            int victim = run.Children().Min();
            Assert.Equal(0, Posix.Kill(victim, Posix.SignalKill));
            await Wait.UntilAsync("it was started again", () => run.Children() is { Count: 2 } now && !now.Contains(victim), s_patience);
            await node.AskAsync($"submit again{i} Self kept 0");
        }

        NodeReport report = await node.ReportAsync();
        Assert.Equal((3, 3, 1), (report.Begun, report.Ended, report.FirstStarts));
        Assert.Contains("process", await CommandAsync(sandbox, "status", "kept"), StringComparison.Ordinal);
        Assert.Contains("checkpoint at", await CommandAsync(sandbox, "checkpoint", "kept"), StringComparison.Ordinal);
        Assert.Contains("is running", await CommandAsync(sandbox, "erase", "kept", "--yes"), StringComparison.Ordinal);
        string admin = run.Output[run.Output.IndexOf("unix:", StringComparison.Ordinal)..].Split('\n')[0].Trim();
        Child far = Child.Start(sandbox, "far", Executables.Command,
            ["status", "kept", "--admin", admin, "--store", sandbox.Store + "-elsewhere", "--catalog", sandbox.Catalog + "-elsewhere"]);
        await far.Exited.WaitAsync(s_patience);
        Assert.Contains("running; its log is in another store", far.Output, StringComparison.Ordinal);

        run.Signal(Posix.Terminate);
        await run.Exited.WaitAsync(s_patience);
        Assert.Equal(0, run.ExitCode);
        Assert.DoesNotContain("   at ", run.Output, StringComparison.Ordinal);
        sandbox.Say(run.Output);
        Assert.Contains("Erased kept", await CommandAsync(sandbox, "erase", "kept", "--yes"), StringComparison.Ordinal);
        await sandbox.PassedAsync();
    }

    [Theory]
    [InlineData("--replica-id", "0")]
    [InlineData]
    public async Task Move_lets_an_instance_go_on_in_another_terminal_and_the_first_one_ends(params string[] number)
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = new(sandbox, "moved", Layout.Sidecar, NodeSettings.Small);
        Child Start(string verb, params string[] options) => Child.Start(
            sandbox, verb, Executables.Command, [verb, "moved", "--store", sandbox.Store, "--catalog", sandbox.Catalog, .. options, "--",
                Executables.App], ("E2E_GATE", node.GatePath));

        Child here = Start("run", number);
        await node.AskAsync("submit one Note moved 0");
        Child there = Start("move");
        await here.Exited.WaitAsync(s_patience);
        Assert.Equal(0, here.ExitCode);
        await node.AskAsync("submit two Self moved 0");
        NodeReport report = await node.ReportAsync();
        Assert.Equal((2, 2, 1), (report.Begun, report.Ended, report.FirstStarts));
        string status = await CommandAsync(sandbox, "status", "moved");
        sandbox.Say(status);
        Assert.Equal(number.Length > 0, status.Contains("replica 1", StringComparison.Ordinal));
        Assert.Contains("role", status, StringComparison.Ordinal); // Said by the coordinator itself, which was found by its number.
        Assert.Contains("checkpoint at", await CommandAsync(sandbox, "checkpoint", "moved"), StringComparison.Ordinal);

        // Nobody serves it: to move it here is to run it here.
        there.Signal(Posix.Terminate);
        await there.Exited.WaitAsync(s_patience);
        Child again = Start("move");
        Assert.Equal(2, (await node.ReportAsync()).Ended);
        again.Signal(Posix.Terminate);
        await again.Exited.WaitAsync(s_patience);
        Assert.Equal(0, again.ExitCode);
        await sandbox.PassedAsync();
    }

    [Theory]
    [InlineData("run")]
    [InlineData("move")]
    public async Task A_program_that_does_not_exist_ends_the_command_with_a_sentence_and_its_coordinator_with_it(string verb)
    {
        await using var sandbox = new Sandbox(output);
        Child run = Child.Start(sandbox, verb, Executables.Command,
            [verb, "absent", "--store", sandbox.Store, "--catalog", sandbox.Catalog, "--", "no-such-program"]);
        await run.Exited.WaitAsync(s_patience);
        Assert.Equal(70, run.ExitCode);
        Assert.Contains("no-such-program cannot be started", run.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", run.Output, StringComparison.Ordinal);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task Run_of_a_file_starts_all_that_it_names_and_each_again_alone_when_it_is_killed()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest one = new(sandbox, "one", Layout.Sidecar, NodeSettings.Small);
        NodeUnderTest two = new(sandbox, "two", Layout.Sidecar, NodeSettings.Small);
        Child run = RunFile(sandbox, $$"""
            { "name": "both",
              "immortals": {
                "one": { "program": ["{{Executables.App}}"], "environment": { "E2E_GATE": "{{one.GatePath}}" } },
                "two": { "program": ["{{Executables.App}}"], "environment": { "E2E_GATE": "{{two.GatePath}}" } } },
              "programs": { "beside": { "program": ["sh", "-c", "echo $GREETING; exec sleep 1000"], "environment": { "GREETING": "hello" } } } }
            """);
        await one.AskAsync("submit first Await two 0");
        await Wait.UntilAsync("all are ready", () =>
            run.Output.Contains("both: all immortals are ready", StringComparison.Ordinal), s_patience);
        Assert.Contains("beside", run.Output, StringComparison.Ordinal);
        Assert.Equal(5, run.Children().Count);
        foreach (int victim in run.Children().Order().ToArray())
        {
            Assert.Equal(0, Posix.Kill(victim, Posix.SignalKill));
            await Wait.UntilAsync("it was started again", () => run.Children() is { Count: 5 } now && !now.Contains(victim), s_patience);
        }

        await one.AskAsync("submit second Await two 0");
        Assert.Equal(2, (await one.ReportAsync()).Ended);
        Assert.Equal(2, (await two.ReportAsync()).Received["one"]);
        Assert.Matches("(?m)^two coordinator +\\|", run.Output);
        run.Signal(Posix.Terminate);
        await run.Exited.WaitAsync(s_patience);
        Assert.Equal(0, run.ExitCode);
        Assert.Contains("both: all have ended", run.Output, StringComparison.Ordinal);
        Assert.Matches("(?m)^beside +\\| hello", run.Output);
        Assert.DoesNotContain("   at ", run.Output, StringComparison.Ordinal);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_program_of_a_file_that_does_not_exist_ends_all_the_others()
    {
        await using var sandbox = new Sandbox(output);
        Child run = RunFile(sandbox, """
            { "immortals": { "absent": { "program": ["no-such-program"] } }, "programs": { "beside": { "program": ["sleep", "1000"] } } }
            """);
        await run.Exited.WaitAsync(s_patience);
        Assert.Equal(70, run.ExitCode);
        Assert.Contains("no-such-program cannot be started", run.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", run.Output, StringComparison.Ordinal);
        await sandbox.PassedAsync();
    }

    private static Child RunFile(Sandbox sandbox, string text)
    {
        string file = Path.Combine(sandbox.Folder, "app.json");
        File.WriteAllText(file, text);
        return Child.Start(sandbox, "run", Executables.Command,
            ["run", "-f", file, "--store", sandbox.Store, "--catalog", sandbox.Catalog]);
    }

    private static async Task<string> CommandAsync(Sandbox sandbox, params string[] arguments)
    {
        Child command = Child.Start(sandbox, "command", Executables.Command,
            [.. arguments, "--store", sandbox.Store, "--catalog", sandbox.Catalog]);
        await command.Exited.WaitAsync(s_patience);
        return command.Output;
    }
}
