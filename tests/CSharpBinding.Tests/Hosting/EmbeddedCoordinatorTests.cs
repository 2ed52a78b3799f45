using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Hosting;
using Ambrosia.Primitives;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CSharpBinding.Tests.Hosting;

public sealed class EmbeddedCoordinatorTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("ambrosia-test-");

    [Fact]
    public async Task A_coordinator_that_is_not_there_is_an_error_that_says_where_it_was_looked_for()
    {
        var options = new ImmortalOptions { InstanceName = "counter", Coordinator = Path.Combine(_folder.FullName, "nothing") };

        CoordinatorUnavailableException error = await Assert.ThrowsAsync<CoordinatorUnavailableException>(() => RunAsync(options));

        Assert.Contains($"no coordinator at {options.Coordinator}", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_coordinator_that_ends_at_once_is_an_error_with_its_code_and_last_words()
    {
        var options = new ImmortalOptions { InstanceName = "counter", Coordinator = Script("echo 'IC-1001 the store is gone | file:/x' >&2; exit 3") };

        CoordinatorUnavailableException error = await Assert.ThrowsAsync<CoordinatorUnavailableException>(() => RunAsync(options));

        Assert.Contains("ended with code 3 before it accepted the app: IC-1001 the store is gone | file:/x", error.Message, StringComparison.Ordinal);
        Assert.Equal(3, error.CoordinatorCode);
    }

    [Theory]
    [InlineData("""{"time":"x","level":"warning","id":1,"message":"IC-1038 slow","fields":{}}""", LogLevel.Warning, "IC-1038 slow")]
    [InlineData("""{"level":"critical","message":"IC-2001 torn","error":"at 7"}""", LogLevel.Critical, "IC-2001 torn: at 7")]
    [InlineData("""{"level":"information","message":"bank is primary"}""", LogLevel.Information, "bank is primary")]
    [InlineData("""{"other":1}""", LogLevel.Information, """{"other":1}""")]
    [InlineData("{broken", LogLevel.Information, "{broken")]
    [InlineData("12:00:00  warning: IC-1038 slow", LogLevel.Warning, "12:00:00  warning: IC-1038 slow")]
    [InlineData("12:00:00  error: IC-1036 held", LogLevel.Error, "12:00:00  error: IC-1036 held")]
    [InlineData("IC-1002 'many' is not a value", LogLevel.Critical, "IC-1002 'many' is not a value")]
    public void A_line_of_a_coordinator_keeps_its_level(string line, LogLevel level, string text) =>
        Assert.Equal(new CoordinatorLine(level, text), CoordinatorLine.Read(line));

    [Theory]
    [InlineData(0, true, false)]
    [InlineData(30, true, false)]
    [InlineData(31, true, true)]
    [InlineData(40, true, true)]
    [InlineData(41, false, false)]
    [InlineData(42, true, true)]
    [InlineData(43, false, false)]
    [InlineData(64, true, true)]
    [InlineData(70, false, false)]
    [InlineData(137, false, false)]
    public void What_a_restart_cannot_help_ends_the_app_and_all_else_is_started_again(int code, bool isFinal, bool isRefusal) =>
        Assert.Equal((isFinal, isRefusal), (CoordinatorExit.IsFinal(code), CoordinatorExit.IsRefusal(code)));

    [Fact]
    public async Task A_coordinator_that_never_accepts_is_given_up_and_ended()
    {
        string trace = Path.Combine(_folder.FullName, "trace");
        var options = new ImmortalOptions
        {
            InstanceName = "counter",
            Store = "file:/some/where",
            Ingress = "127.0.0.1:8080",
            CoordinatorArguments = "--retain all",
            ConnectTimeout = TimeSpan.FromMilliseconds(300),
            Coordinator = Script($"echo \"$@\" > {trace}; cat > /dev/null; echo end >> {trace}"),
        };

        CoordinatorUnavailableException error = await Assert.ThrowsAsync<CoordinatorUnavailableException>(() => RunAsync(options));

        Assert.Contains("No coordinator accepted counter", error.Message, StringComparison.Ordinal);
        string[] lines = await File.ReadAllLinesAsync(trace);
        Assert.StartsWith("--instance-name counter --store file:/some/where --binding-socket /", lines[0], StringComparison.Ordinal);
        Assert.EndsWith(".sock --ingress 127.0.0.1:8080 --owner-pipe --retain all", lines[0], StringComparison.Ordinal);
        Assert.Equal("end", lines[1]); // Its standard input ended: that is how an owner's end is seen.
    }

    [Theory]
    [InlineData("tcp:nowhere")]
    [InlineData("tcp::5000")]
    [InlineData("tcp:host:99999")]
    [InlineData("unix:")]
    public async Task An_address_that_is_none_is_refused(string address)
    {
        var options = new ImmortalOptions { InstanceName = "counter", BindingSocket = address };

        await Assert.ThrowsAsync<OptionException>(() => RunAsync(options));
    }

    [Fact]
    public async Task A_socket_path_that_the_system_cannot_hold_is_refused_with_the_limit()
    {
        var options = new ImmortalOptions { InstanceName = "counter", BindingSocket = "/" + new string('x', 120) };

        Assert.Contains("1 to 107 bytes", (await Assert.ThrowsAsync<OptionException>(() => RunAsync(options))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Stopping_while_waiting_for_a_coordinator_is_no_error()
    {
        using var stop = new CancellationTokenSource(TimeSpan.FromMilliseconds(100));
        var options = new ImmortalOptions { InstanceName = "counter", BindingSocket = Path.Combine(_folder.FullName, "nobody.sock") };

        await new ImmortalHost(static () => new Counter(), options).RunAsync(stop.Token);

        Assert.True(stop.IsCancellationRequested);
    }

    public void Dispose() => _folder.Delete(recursive: true);

    private static Task RunAsync(ImmortalOptions options) => new ImmortalHost(static () => new Counter(), options).RunAsync(CancellationToken.None);

    private string Script(string body)
    {
        string path = Path.Combine(_folder.FullName, "coordinator.sh");
        File.WriteAllText(path, $"#!/bin/sh\n{body}\n");
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        return path;
    }
}
