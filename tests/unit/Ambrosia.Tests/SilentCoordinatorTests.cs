using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Ambrosia.Cli.Tests;

/// <summary>What the command does about a coordinator that takes connections and never answers: stopped, as in a debugger.</summary>
public sealed class SilentCoordinatorTests : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private readonly CommandFixture _command = new();
    private readonly TcpListener _silent = new(IPAddress.Loopback, 0);
    private readonly string _admin;

    public SilentCoordinatorTests()
    {
        _silent.Start(); // The system takes the connections.
        _admin = string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{((IPEndPoint)_silent.LocalEndpoint).Port}");
    }

    public void Dispose()
    {
        _silent.Dispose();
        _command.Dispose();
    }

    [Fact]
    public async Task It_holds_up_neither_status_nor_a_table_of_all()
    {
        await _command.MakeInstanceAsync("bank");
        (int code, string output, _) = await _command.RunAsync($"status bank --admin {_admin}").WaitAsync(s_patience);
        Assert.Equal(0, code);
        Assert.Contains("bank", output, StringComparison.Ordinal);
        (code, output, _) = await _command.RunAsync($"top --every 0.05 --admin {_admin}").WaitAsync(s_patience);
        Assert.Equal(0, code);
        Assert.Matches("(?m)^bank +stopped", output);
    }

    [Fact]
    public async Task It_is_said_not_to_answer()
    {
        await _command.MakeInstanceAsync("bank");
        (int code, _, string error) = await _command.RunAsync($"deadletters list bank --admin {_admin}").WaitAsync(s_patience);
        Assert.Equal(69, code);
        Assert.Contains("takes the question and does not answer", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("status bank")]
    [InlineData("top --every 0.05")]
    [InlineData("checkpoint bank")]
    public async Task Ctrl_c_ends_the_waiting_without_a_word(string line)
    {
        await _command.MakeInstanceAsync("bank");
        string[] words = [typeof(AmbrosiaCommand).Assembly.Location, .. line.Split(' '), "--store", _command.Store, "--admin", _admin];
        var start = new ProcessStartInfo("dotnet", words) { RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment["AMBROSIA_HOME"] = _command.Home;
        using Process process = Process.Start(start)!;
        using Socket asked = await _silent.AcceptSocketAsync().WaitAsync(s_patience);
        using var kill = Process.Start("kill", ["-TERM", process.Id.ToString(CultureInfo.InvariantCulture)]);
        Assert.Equal("", await process.StandardError.ReadToEndAsync().WaitAsync(s_patience));
        await process.WaitForExitAsync().WaitAsync(s_patience);
        Assert.Equal(130, process.ExitCode);
    }
}
