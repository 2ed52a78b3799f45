using Ambrosia.EndToEnd.Tests.Driving;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>
/// A coordinator that a person or a pod started, with an admin address of its own choice, is found by the command without an option.
/// </summary>
public sealed class SidecarTests(ITestOutputHelper output)
{
    private const string Name = "side";
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(90);

    [Theory]
    [InlineData("127.0.0.1:0")] // With a token.
    [InlineData("unix:")]
    public async Task A_coordinator_with_an_admin_address_of_its_own_is_found_from_its_first_moment_to_its_last(string admin)
    {
        await using var sandbox = new Sandbox(output);
        string address = admin == "unix:" ? "unix:" + Path.Combine(sandbox.Folder, "own.admin") : admin;
        Child coordinator = StartCoordinator(sandbox, address);

        await SaysAsync(sandbox, @"(?m)^side +running ", "status"); // Before its first app nothing is in its log, nor in the catalog.
        await SaysAsync(sandbox, "(?m)^role +first start: ", "status", Name);
        await SaysAsync(sandbox, "(?m)^side +first start: ", "top", "--once");

        Child app = Child.Start(
            sandbox, Name + ".app", Executables.App,
            ["--instance-name", Name, "--binding-socket", SocketOf(sandbox), "--on-coordinator-exit", "wait"],
            ("E2E_GATE", Path.Combine(sandbox.Folder, Name + ".gate")));
        await SaysAsync(sandbox, "(?m)^role +primary", "status", Name);
        await SaysAsync(sandbox, "(?m)^side +primary", "top", "--once");
        await SaysAsync(sandbox, "ok +instance side +primary, epoch 1", "doctor");
        await SaysAsync(sandbox, "checkpoint at", "checkpoint", Name);

        await coordinator.KillAsync();
        Assert.Single(Entries(sandbox));
        await SaysAsync(sandbox, "(?m)^state +stopped", "status", Name);
        await SaysAsync(sandbox, "(?m)^coordinator +none runs", "status", Name);
        await SaysAsync(sandbox, "(?m)^side +stopped", "top", "--once");

        coordinator = StartCoordinator(sandbox, address);
        await SaysAsync(sandbox, "(?m)^role +primary", "status", Name);
        Assert.Single(Entries(sandbox)); // What the killed one left behind is gone.
        coordinator.Signal(Posix.Terminate);
        await coordinator.Exited.WaitAsync(s_patience);
        Assert.Empty(Entries(sandbox));
        await app.KillAsync();
        await sandbox.PassedAsync();
    }

    private static string[] Entries(Sandbox sandbox) => Directory.GetFiles(Path.Combine(sandbox.Folder, "serving"));

    private static string SocketOf(Sandbox sandbox) => Path.Combine(sandbox.Folder, Name + ".sock");

    private static Child StartCoordinator(Sandbox sandbox, string admin) => Child.Start(
        sandbox, Name + ".coordinator", Executables.Coordinator,
        ["--instance-name", Name, "--binding-socket", SocketOf(sandbox), "--admin", admin]);

    private static async Task SaysAsync(Sandbox sandbox, string expected, params string[] words)
    {
        string said = "";
        await Wait.UntilAsync(
            $"'{string.Join(' ', words)}' says {expected}",
            async () =>
            {
                Child command = Child.Start(sandbox, "ambrosia", Executables.Command, words);
                await command.Exited.WaitAsync(s_patience);
                said = command.Output;
                return System.Text.RegularExpressions.Regex.IsMatch(said, expected);
            },
            s_patience);
    }
}
