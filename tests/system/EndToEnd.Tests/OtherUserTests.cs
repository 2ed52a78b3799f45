using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>Apps of other users at a coordinator's socket: who gets in, and what the others are told. Real users, real sockets; they need
/// root to become others.</summary>
public sealed class OtherUserTests(ITestOutputHelper output)
{
    private const string Members = "40003";
    private const string OtherUser = "30002";
    private const string Restricted = "20001";
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task An_app_of_another_user_finds_a_closed_socket_and_is_told_what_to_do()
    {
        await using Sandbox sandbox = Open();
        Child coordinator = await StartAsync(sandbox);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(SocketOf(sandbox)));
        Child app = StartApp(sandbox, OtherUser, "--clear-groups", ["--connect-timeout", "1"]);
        await app.Exited.WaitAsync(s_patience);
        Assert.Equal(69, app.ExitCode);
        Assert.Contains("The socket is for another user", app.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("IC-10", coordinator.Output, StringComparison.Ordinal); // The kernel kept it out.
        sandbox.Passed();
    }

    [Fact]
    public async Task A_user_who_is_none_of_the_group_is_refused_by_both_sides_even_if_the_sockets_mode_lets_him_in()
    {
        await using Sandbox sandbox = Open();
        Child coordinator = await StartAsync(sandbox, "--binding-group", Members);
        File.SetUnixFileMode(SocketOf(sandbox), (UnixFileMode)0x1B6); // 0666, and 0711 for the folder: somebody's mistakes.
        File.SetUnixFileMode(Path.GetDirectoryName(SocketOf(sandbox))!, (UnixFileMode)0x1C9);
        Child app = StartApp(sandbox, OtherUser, "--clear-groups", []);
        await app.Exited.WaitAsync(s_patience);
        Assert.Equal(69, app.ExitCode);
        Assert.Contains("IC-1039", app.Output, StringComparison.Ordinal);
        Assert.Contains($"belongs to user {OtherUser}", coordinator.Output, StringComparison.Ordinal);
        Assert.Contains("IC-1039", coordinator.Output, StringComparison.Ordinal);
        sandbox.Passed();
    }

    [Fact]
    public async Task An_app_of_another_user_in_the_group_is_served()
    {
        await using Sandbox sandbox = Open();
        await StartAsync(sandbox, "--binding-group", Members);
        Assert.Equal((UnixFileMode)0x1B0, File.GetUnixFileMode(SocketOf(sandbox))); // 0660
        Assert.Equal((UnixFileMode)0x1C8, File.GetUnixFileMode(Path.GetDirectoryName(SocketOf(sandbox))!)); // 0710
        StartApp(sandbox, OtherUser, "--groups=" + Members, []);
        await ServesAsync(sandbox);
        sandbox.Passed();
    }

    [Fact]
    public async Task Where_a_token_is_asked_for_at_the_socket_a_member_of_the_group_must_show_it()
    {
        await using Sandbox sandbox = Open();
        string token = Path.Combine(sandbox.Folder, "token");
        File.WriteAllText(token, new string('7', 64));
        Chown(sandbox, ":" + Members, token);
        File.SetUnixFileMode(token, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead); // As a mounted secret has it.
        Child coordinator = await StartAsync(sandbox, "--binding-group", Members, "--binding-token-file", token);
        Child without = StartApp(sandbox, OtherUser, "--groups=" + Members, []);
        await without.Exited.WaitAsync(s_patience);
        Assert.Equal(69, without.ExitCode);
        Assert.Contains("IC-1035", without.Output, StringComparison.Ordinal);
        Assert.Contains("IC-1035", coordinator.Output, StringComparison.Ordinal);
        StartApp(sandbox, OtherUser, "--groups=" + Members, [], ("AMBROSIA_TOKEN_FILE", token));
        await ServesAsync(sandbox);
        sandbox.Passed();
    }

    [Fact]
    public async Task A_group_that_the_coordinator_is_no_member_of_stops_it_with_a_sentence()
    {
        await using Sandbox sandbox = Open();
        Child coordinator = Child.Start(
            sandbox, "guarded.coordinator", "setpriv",
            [.. Become(Restricted, "--clear-groups"), Executables.Coordinator, .. Arguments(sandbox), "--binding-group", Members]);
        await coordinator.Exited.WaitAsync(s_patience);
        Assert.Equal(69, coordinator.ExitCode);
        Assert.Contains("IC-1016", coordinator.Output, StringComparison.Ordinal);
        sandbox.Passed();
    }

    [Fact]
    public async Task A_folder_that_another_user_made_first_is_refused_and_what_is_in_it_is_left_alone()
    {
        await using Sandbox sandbox = Open();
        string folder = Path.GetDirectoryName(SocketOf(sandbox))!;
        Directory.CreateDirectory(folder);
        File.SetUnixFileMode(folder, (UnixFileMode)0x3FF); // Sticky and open to all: its modes alone look harmless.
        Chown(sandbox, OtherUser, folder);
        Child coordinator = Child.Start(sandbox, "guarded.coordinator", Executables.Coordinator, Arguments(sandbox));
        await coordinator.Exited.WaitAsync(s_patience);
        Assert.Equal(69, coordinator.ExitCode);
        Assert.Contains("IC-1011", coordinator.Output, StringComparison.Ordinal);
        Assert.Contains($"belongs to user {OtherUser}", coordinator.Output, StringComparison.Ordinal);
        Assert.Empty(Directory.EnumerateFileSystemEntries(folder));
        sandbox.Passed();
    }

    [Fact]
    public async Task A_lock_that_another_user_made_first_is_refused()
    {
        await using Sandbox sandbox = Open();
        string folder = Path.GetDirectoryName(SocketOf(sandbox))!;
        Directory.CreateDirectory(folder);
        File.SetUnixFileMode(folder, (UnixFileMode)0x3FF);
        File.WriteAllText(SocketOf(sandbox) + ".lock", "");
        Chown(sandbox, OtherUser, SocketOf(sandbox) + ".lock");
        Child coordinator = Child.Start(sandbox, "guarded.coordinator", Executables.Coordinator, Arguments(sandbox));
        await coordinator.Exited.WaitAsync(s_patience);
        Assert.Equal(69, coordinator.ExitCode);
        Assert.Contains("IC-1011", coordinator.Output, StringComparison.Ordinal);
        sandbox.Passed();
    }

    [Fact]
    public async Task An_app_tells_another_users_process_nothing_unless_that_user_is_named()
    {
        await using Sandbox sandbox = Open();
        Child coordinator = Child.Start(
            sandbox, "guarded.coordinator", "setpriv",
            [.. Become(Restricted, "--groups=" + Members), Executables.Coordinator, .. Arguments(sandbox), "--binding-group", Members]);
        await Wait.UntilAsync("the coordinator listens", () =>
            coordinator.Output.Contains("waits for its app", StringComparison.Ordinal), s_patience);
        Child app = StartApp(sandbox, OtherUser, "--groups=" + Members, [], ("AMBROSIA_TOKEN", new string('7', 64)));
        await app.Exited.WaitAsync(s_patience);
        Assert.Equal(69, app.ExitCode);
        Assert.Contains($"belongs to user {Restricted}", app.Output, StringComparison.Ordinal);
        Assert.Contains("--coordinator-user", app.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("attached", coordinator.Output, StringComparison.Ordinal);
        StartApp(sandbox, OtherUser, "--groups=" + Members, ["--coordinator-user", Restricted]);
        await ServesAsync(sandbox);
        sandbox.Passed();
    }

    private Sandbox Open()
    {
        Assert.True(Environment.UserName == "root", "Becoming other users needs root: run this test as root.");
        var sandbox = new Sandbox(output);
        File.SetUnixFileMode(sandbox.Folder, (UnixFileMode)0x3FF); // 1777: other users make their sockets and logs here.
        return sandbox;
    }

    private static string SocketOf(Sandbox sandbox) => Path.Combine(sandbox.Folder, "link", "guarded.sock");

    private static string[] Arguments(Sandbox sandbox) =>
        ["--instance-name", "guarded", "--store", sandbox.Store, "--catalog", sandbox.Catalog, "--binding-socket", SocketOf(sandbox),
            "--owner-pipe"];

    private static async Task<Child> StartAsync(Sandbox sandbox, params string[] more)
    {
        Child coordinator = Child.Start(sandbox, "guarded.coordinator", Executables.Coordinator, [.. Arguments(sandbox), .. more]);
        await Wait.UntilAsync("the coordinator listens", () =>
            coordinator.Output.Contains("waits for its app", StringComparison.Ordinal), s_patience);
        return coordinator;
    }

    private static Child StartApp(Sandbox sandbox, string user, string groups, string[] more,
        params (string Name, string Value)[] environment) => Child.Start(
        sandbox, "guarded.app", "setpriv",
        [.. Become(user, groups), Executables.App, "--instance-name", "guarded", "--binding-socket", SocketOf(sandbox), .. more],
        [("E2E_GATE", GateOf(sandbox)), ("E2E_VERSION", "1"), .. environment]);

    private static string GateOf(Sandbox sandbox) => Path.Combine(sandbox.Folder, "guarded.gate");

    private static string[] Become(string user, string groups) => ["--reuid=" + user, "--regid=" + user, groups, "--"];

    private static void Chown(Sandbox sandbox, string owner, string path)
    {
        Child chown = Child.Start(sandbox, "chown", "chown", [owner, path]);
        Assert.True(chown.Exited.Wait(s_patience));
        Assert.Equal(0, chown.ExitCode);
    }

    private static async Task ServesAsync(Sandbox sandbox)
    {
        GateClient? gate = null;
        await Wait.UntilAsync("the app opens its gate", async () =>
            (gate = await GateClient.TryConnectAsync(GateOf(sandbox))) is not null, s_patience);
        using (gate)
        {
            Assert.Equal("42", await gate!.AskAsync("submit one Self guarded 0").WaitAsync(s_patience));
        }
    }
}
