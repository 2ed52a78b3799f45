using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using System.Text.RegularExpressions;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.ImmortalCoordinator.Tests.Poison;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives.Errors;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

/// <summary>The executable, as a process of its own.</summary>
public sealed class ProcessTests : IDisposable
{
    private const string Waiting = "waits for its app";

    private readonly TemporaryFolder _home = new();

    public void Dispose() => _home.Dispose();

    [Fact]
    public async Task A_signal_drains_and_ends_in_order_and_the_socket_is_gone()
    {
        foreach (string signal in (string[])["TERM", "INT", "HUP"])
        {
            using var coordinator = Start();
            await coordinator.SaysAsync(Waiting);
            coordinator.Signal(signal);
            coordinator.Signal(signal); // What timeout(1) and terminals do: the same wish twice in a row.
            Assert.Equal(ExitCode.Stopped, await coordinator.EndAsync());
            Assert.Contains($"stops because SIG{signal} was received", coordinator.Said, StringComparison.Ordinal);
            Assert.False(File.Exists(_home["app.sock"]));
            Assert.DoesNotContain("   at ", coordinator.Said, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task After_kill_9_the_next_process_takes_socket_and_log_over()
    {
        for (int i = 0; i < 3; i++)
        {
            using var coordinator = Start();
            await coordinator.SaysAsync(Waiting);
            using var app = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            await app.ConnectAsync(new UnixDomainSocketEndPoint(_home["app.sock"]));
            coordinator.Process.Kill();
            await coordinator.EndAsync();
            Assert.True(File.Exists(_home["app.sock"]));
        }
    }

    [Fact]
    public async Task The_end_of_its_owner_ends_it_and_it_leads_a_process_group_of_its_own()
    {
        using var coordinator = Start("--owner-pipe");
        await coordinator.SaysAsync(Waiting);
        string group = File.ReadAllText($"/proc/{coordinator.Process.Id}/stat").Split(") ")[1].Split(' ')[2];
        Assert.Equal(coordinator.Process.Id, int.Parse(group, System.Globalization.CultureInfo.InvariantCulture));
        coordinator.Process.StandardInput.Close();
        Assert.Equal(ExitCode.Stopped, await coordinator.EndAsync());
        Assert.Contains("stops because its owner has ended", coordinator.Said, StringComparison.Ordinal);
    }

    [Theory] // What ends the process without unwinding it writes its line, too, as all others are written.
    [InlineData("json")]
    [InlineData("text")]
    public async Task The_line_of_a_lost_log_has_time_and_level_in_the_form_of_all_others(string format)
    {
        using CoordinatorUnderTest coordinator = Start("--log-format", format);
        await coordinator.SaysAsync(Waiting);
        var transport = new SocketTransport(new SocketTransportOptions(), TimeProvider.System, NullLogger.Instance);
        await using ScriptedApp app = await ScriptedApp.ConnectAsync(transport, EndPointName.Unix(_home["app.sock"]));
        await app.BecomePrimaryAsync();
        File.Delete(Directory.GetFiles(_home["instances"], "lock", SearchOption.AllDirectories).Single());
        await Assert.ThrowsAnyAsync<IOException>(async () =>
        {
            while (true)
            {
                await app.SendImpulsesAsync(5); // The lock is looked at once a second, before something is written.
                await app.HearAsync(BindingMessageType.RecordInfo);
            }
        });

        Assert.Equal(ExitCode.LeaseLost, await coordinator.EndAsync());
        string line = coordinator.Said.Split('\n').Single(static line => line.Contains("IC-3004", StringComparison.Ordinal));
        if (format == "text")
        {
            Assert.Matches("^[0-9]{2}:[0-9]{2}:[0-9]{2}  fatal: IC-3004 ", line);
            return;
        }

        JsonElement said = JsonDocument.Parse(line).RootElement;
        Assert.Equal("critical", said.GetProperty("level").GetString());
        Assert.True(DateTime.TryParse(said.GetProperty("time").GetString(), CultureInfo.InvariantCulture, out _));
        Assert.Equal("IC-3004", said.GetProperty("fields").GetProperty("Code").GetString());
        Assert.Equal(1002, said.GetProperty("id").GetInt32());
        Assert.All(coordinator.Said.Split('\n', StringSplitOptions.RemoveEmptyEntries), static line => JsonDocument.Parse(line));
    }

    [Fact]
    public async Task The_same_log_is_served_by_one_process_and_the_next_waits_for_it()
    {
        using var first = Start();
        await first.SaysAsync(Waiting);
        using var second = new CoordinatorUnderTest(_home, "--instance-name", "bank", "--binding-socket", _home["second.sock"], "--admin",
            "unix:" + _home["admin.sock"]);
        await second.SaysAsync("answers health");
        Assert.DoesNotContain(Waiting, second.Said, StringComparison.Ordinal);
        first.Process.Kill();
        await second.SaysAsync(Waiting);
    }

    [Theory]
    [InlineData(64, "IC-1001", "--instance-nane", "bank")]
    [InlineData(64, "IC-1004", "--instance-name", "bank", "--lease-duration", "1s", "--store", "postgres://ada@127.0.0.1/ledger")]
    [InlineData(64, "IC-1021", "--instance-name", "bank", "--start", "recover")]
    [InlineData(64, "IC-1008", "--instance-name", "bank", "--binding-address", "127.0.0.1:0", "--binding-token-file", "/dev/null")]
    [InlineData(64, "IC-1008", "--instance-name", "bank", "--admin", "127.0.0.1:0", "--admin-token-file", "/dev/null")]
    [InlineData(64, "IC-1008", "--instance-name", "bank", "--admin", "127.0.0.1:0", "--admin-token-file", "/dev/null",
        "--print-admin-token")]
    [InlineData(64, "IC-1004", "--instance-name", "bank", "--admin", "unix:/nowhere", "--print-admin-token")]
    [InlineData(42, "IC-2040", "--instance-name", "bank", "--store", "s3:bucket")]
    [InlineData(42, "IC-1040", "--instance-name", "bank", "--store", "file:/dev/null/store")]
    [InlineData(69, "IC-1011", "--instance-name", "bank", "--binding-socket", "/proc/app.sock")]
    public async Task What_it_cannot_do_is_one_sentence_and_an_exit_code(int exitCode, string code, params string[] arguments)
    {
        using var coordinator = new CoordinatorUnderTest(_home, arguments);
        Assert.Equal((ExitCode)exitCode, await coordinator.EndAsync());
        await Within.Until(() => coordinator.Said.Contains(code, StringComparison.Ordinal));
        Assert.DoesNotContain("   at ", coordinator.Said, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_instance_that_exists_is_not_created_again()
    {
        using (var first = Start())
        {
            await first.SaysAsync(Waiting);
        }

        using var second = Start("--start", "create");
        Assert.Equal(ExitCode.Configuration, await second.EndAsync());
        await Within.Until(() => second.Said.Contains("IC-1020", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_loopback_address_for_the_app_comes_with_a_private_token()
    {
        using var coordinator = new CoordinatorUnderTest(_home, "--instance-name", "bank", "--binding-address", "127.0.0.1:0");
        await coordinator.SaysAsync(Waiting);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(_home["tokens/bank"]));
        string token = File.ReadAllText(_home["tokens/bank"]).Trim();
        Assert.Equal(64, token.Length);
        Assert.DoesNotContain(token, coordinator.Said, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_loopback_admin_address_comes_with_a_private_token_which_is_printed_only_when_asked_for()
    {
        string[] options = ["--instance-name", "bank", "--binding-socket", _home["app.sock"], "--admin", "127.0.0.1:0"];
        using var coordinator = new CoordinatorUnderTest(_home, options);
        await coordinator.SaysAsync(Waiting);
        string file = _home["admin-tokens/bank"];
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(file));
        string token = File.ReadAllText(file).Trim();
        Assert.Equal(64, token.Length);
        Assert.Contains($"to the token in {file}", coordinator.Said, StringComparison.Ordinal);
        Assert.DoesNotContain(token, coordinator.Said, StringComparison.Ordinal);
        string port = Regex.Match(coordinator.Said, "answers health, status and metrics at (?:tcp:)?127.0.0.1:([0-9]+)").Groups[1].Value;
        using var client = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{port}") };
        using HttpResponseMessage refused = await client.PostAsync("/drain", null);
        Assert.Equal(HttpStatusCode.Unauthorized, refused.StatusCode);
        client.DefaultRequestHeaders.Add("Authorization", "Bearer " + token);
        Assert.Contains("\"instance\": \"bank\"", await client.GetStringAsync("/status"), StringComparison.Ordinal);

        using var asked = new CoordinatorUnderTest(_home, [.. options, "--print-admin-token"]);
        Assert.Equal(ExitCode.Stopped, await asked.EndAsync());
        await Within.Until(() => asked.Said.Trim() == token);
        using HttpResponseMessage drained = await client.PostAsync("/drain", null);
        Assert.Equal(HttpStatusCode.Accepted, drained.StatusCode);
        Assert.Equal(ExitCode.Stopped, await coordinator.EndAsync());
    }

    [Fact]
    public async Task The_line_of_the_start_names_the_admin_port_that_the_system_chose()
    {
        using CoordinatorUnderTest coordinator = Start("--admin", "127.0.0.1:0");
        await coordinator.SaysAsync(Waiting);
        var transport = new SocketTransport(new SocketTransportOptions(), TimeProvider.System, NullLogger.Instance);
        await using ScriptedApp app = await ScriptedApp.ConnectAsync(transport, EndPointName.Unix(_home["app.sock"]));
        await app.BecomePrimaryAsync();
        await coordinator.SaysAsync("bank is primary in epoch");
        string port = Regex.Match(coordinator.Said, "answers health, status and metrics at tcp:127.0.0.1:([0-9]+)").Groups[1].Value;
        Assert.Contains($"; admin: tcp:127.0.0.1:{port}; page: http://127.0.0.1:{port}/page/", coordinator.Said, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Help_version_and_configuration_are_printed()
    {
        foreach ((string argument, string text) in ((string, string)[])[("--help", "--max-lag SIZE"), ("--version", "0."),
            ("--print-config", "[default]")])
        {
            using var coordinator = new CoordinatorUnderTest(_home, "--instance-name", "bank", argument);
            Assert.Equal(ExitCode.Stopped, await coordinator.EndAsync());
            await Within.Until(() => coordinator.Said.Contains(text, StringComparison.Ordinal));
        }
    }

    [Fact]
    public async Task A_misspelt_variable_ends_it_before_anything_is_touched()
    {
        (string, string)[] variables = [("AMBROSIA_STROE", $"file:{_home["elsewhere"]}"), ("AMBROSIA_SHOP", "1")];
        using var coordinator = new CoordinatorUnderTest(_home, variables, ["--instance-name", "bank"]);
        Assert.Equal(ExitCode.Configuration, await coordinator.EndAsync());
        await Within.Until(() => coordinator.Said.Contains("IC-1001 'AMBROSIA_STROE' is not an option", StringComparison.Ordinal));
        Assert.Contains("did you mean AMBROSIA_STORE?", coordinator.Said, StringComparison.Ordinal);
        Assert.DoesNotContain("AMBROSIA_SHOP", coordinator.Said, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(_home.Path));
    }

    private CoordinatorUnderTest Start(params string[] more) =>
        new(_home, ["--instance-name", "bank", "--binding-socket", _home["app.sock"], .. more]);
}
