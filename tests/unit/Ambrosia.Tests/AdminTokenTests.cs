using System.Diagnostics;
using System.Text.RegularExpressions;

namespace Ambrosia.Cli.Tests;

/// <summary>The command's verbs at the admin port of a real coordinator, which asks for its token.</summary>
public sealed class AdminTokenTests : IAsyncLifetime, IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);
    private readonly CommandFixture _command = new();
    private readonly string _elsewhere = Directory.CreateTempSubdirectory("ambrosia-admin-").FullName;
    private Process? _coordinator;
    private string _admin = "";

    public async Task InitializeAsync()
    {
        await _command.MakeInstanceAsync("shop"); // For the verbs that go through the catalog.
        string coordinator = Path.Combine(AppContext.BaseDirectory, "Ambrosia.ImmortalCoordinator");
        string[] arguments = ["--instance-name", "bank", "--admin", "127.0.0.1:0"];
        var start = new ProcessStartInfo(coordinator, arguments) { RedirectStandardError = true };
        start.Environment["AMBROSIA_HOME"] = _command.Home;
        start.Environment["XDG_RUNTIME_DIR"] = _command.Home;
        _coordinator = Process.Start(start)!;
        string said = "";
        while (!said.Contains("waits for its app", StringComparison.Ordinal))
        {
            string? line = await _coordinator.StandardError.ReadLineAsync().WaitAsync(s_patience);
            said += (line ?? throw new InvalidOperationException(said)) + "\n";
        }

        _admin = Regex.Match(said, "status and metrics at (?:tcp:)?(127.0.0.1:[0-9]+)").Groups[1].Value;
        _ = _coordinator.StandardError.ReadToEndAsync(); // So that it never waits for a reader.
    }

    public Task DisposeAsync() => Task.CompletedTask;

    public void Dispose()
    {
        _coordinator?.Kill();
        _coordinator?.WaitForExit();
        _coordinator?.Dispose();
        _command.Dispose();
        Directory.Delete(_elsewhere, recursive: true);
    }

    [Fact]
    public async Task The_verbs_find_the_token_where_the_coordinator_keeps_it()
    {
        (int code, string output, string error) = await _command.RunAsync($"status bank --admin {_admin}");
        Assert.True(code == 0, error);
        Assert.Matches("(?m)^role +", output);
        Assert.Equal(0, (await _command.RunAsync($"deadletters list bank --admin {_admin}")).Code);
    }

    [Theory]
    [InlineData("status bank")]
    [InlineData("checkpoint bank")]
    [InlineData("deadletters list bank")]
    [InlineData("query bank Balance")]
    [InlineData("upgrade bank -- true")]
    [InlineData("top --every 0.05")]
    public async Task Without_the_right_token_a_verb_says_what_is_missing(string line)
    {
        string file = Path.Combine(_elsewhere, "token");
        string[] words = line.Split(" -- ");
        string Ask() => $"{words[0]} --admin {_admin} --admin-token-file {file}{(words.Length > 1 ? " -- " + words[1] : "")}";
        (int code, _, string error) = await _command.RunAsync(Ask());
        Assert.Equal((70, true), (code, error.Contains(file, StringComparison.Ordinal)));
        Assert.Contains("asks for its token", error, StringComparison.Ordinal);
        Assert.Contains("--admin-token-file", error, StringComparison.Ordinal);
        await File.WriteAllTextAsync(file, new string('0', 64));
        (code, _, error) = await _command.RunAsync(Ask());
        Assert.Equal(70, code);
        Assert.Contains($"that in {file} is another one", error, StringComparison.Ordinal);
        await File.WriteAllTextAsync(file, "two words");
        Assert.Contains("holds none", (await _command.RunAsync(Ask())).Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_wrong_token_is_a_finding_of_the_doctor_and_no_end()
    {
        (int code, string output, _) = await _command.RunAsync($"doctor --admin {_admin} --admin-token-file {_elsewhere}/none");
        Assert.Equal(0, code);
        Assert.Matches("warning +instance shop +The coordinator at .* asks for its token", output);
    }
}
