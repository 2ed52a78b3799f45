using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Hosting;
using Ambrosia.Primitives;
using Ambrosia.Telemetry;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CSharpBinding.Tests.Hosting;

public sealed class EmbeddedCoordinatorTests : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(20);
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
        var options = new ImmortalOptions
            { InstanceName = "counter", Coordinator = Script("echo 'IC-1001 the store is gone | file:/x' >&2; exit 3") };

        CoordinatorUnavailableException error = await Assert.ThrowsAsync<CoordinatorUnavailableException>(() => RunAsync(options));

        Assert.Contains("ended with code 3 before it accepted the app: IC-1001 the store is gone | file:/x", error.Message,
            StringComparison.Ordinal);
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

        Assert.Contains("1 to 107 bytes", (await Assert.ThrowsAsync<OptionException>(() => RunAsync(options))).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Stopping_while_waiting_for_a_coordinator_is_no_error()
    {
        using var stop = new CancellationTokenSource(TimeSpan.FromMilliseconds(100));
        var options = new ImmortalOptions { InstanceName = "counter", BindingSocket = Path.Combine(_folder.FullName, "nobody.sock") };

        await new ImmortalHost(static () => new Counter(), options).RunAsync(stop.Token);

        Assert.True(stop.IsCancellationRequested);
    }

    [Fact]
    public void A_folder_for_sockets_that_cannot_be_made_is_an_error_that_says_which_one()
    {
        string file = Path.Combine(_folder.FullName, "runtime", "ambrosia");
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllText(file, ""); // Where a folder belongs.

        CoordinatorUnavailableException error = Assert.Throws<CoordinatorUnavailableException>(
            () => CoordinatorSocket.NewPath(new ImmortalOptions(), Path.GetDirectoryName(file)));

        Assert.StartsWith($"The folder for the coordinator's socket, {file}, cannot be used: ", error.Message, StringComparison.Ordinal);
        Assert.Contains("Set XDG_RUNTIME_DIR to a folder", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_folder_whose_path_is_too_long_for_sockets_is_refused_with_what_to_do()
    {
        string runtime = Directory.CreateDirectory(Path.Combine(_folder.FullName, new string('x', 100))).FullName;

        CoordinatorUnavailableException error = Assert.Throws<CoordinatorUnavailableException>(
            () => CoordinatorSocket.NewPath(new ImmortalOptions(), runtime));

        Assert.Contains("more than 107 bytes. Set XDG_RUNTIME_DIR to a folder with a short path", error.Message, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(runtime));
    }

    [Fact]
    public async Task A_native_coordinator_that_may_not_be_executed_gives_way_to_the_portable_one()
    {
        string native = Path.Combine(_folder.FullName, RuntimeInformation.RuntimeIdentifier,
            "Ambrosia.ImmortalCoordinator" + (OperatingSystem.IsWindows() ? ".exe" : ""));
        Directory.CreateDirectory(Path.GetDirectoryName(native)!);
        await File.WriteAllTextAsync(native, "#!/bin/sh\n"); // As some archives leave it: without the right to be executed.
        var log = new LineLogger();
        var options = new ImmortalOptions { InstanceName = "counter" };
        Assert.Throws<CoordinatorUnavailableException>(() =>
            EmbeddedCoordinator.Start(options, TimeProvider.System, log, _folder.FullName));
        await File.WriteAllTextAsync(Path.Combine(_folder.FullName, "Ambrosia.ImmortalCoordinator.dll"), "no assembly");

        await using EmbeddedCoordinator coordinator = EmbeddedCoordinator.Start(options, TimeProvider.System, log, _folder.FullName);

        Assert.Equal(1, log.CountContaining($"counter takes the portable coordinator: The coordinator {native} cannot be started"));
    }

    [Fact]
    public async Task A_coordinator_that_takes_the_connection_and_does_not_answer_is_given_up_after_the_time_to_connect()
    {
        string path = Path.Combine(_folder.FullName, "hung.sock");
        using var hung = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        hung.Bind(new UnixDomainSocketEndPoint(path));
        hung.Listen(5); // The system takes connections for it.
        var options = new ImmortalOptions
            { InstanceName = "counter", BindingSocket = path, ConnectTimeout = TimeSpan.FromMilliseconds(200) };

        CoordinatorUnavailableException error =
            await Assert.ThrowsAsync<CoordinatorUnavailableException>(() => RunAsync(options).WaitAsync(s_patience));

        Assert.StartsWith($"What listens at {path} has taken the connection of counter and has not answered within 0 s", error.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_address_that_drops_what_it_is_sent_is_given_up_after_the_time_to_connect()
    {
        using var full = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        full.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        full.Listen(0);
        Socket[] waiting = [.. Enumerable.Range(0, 4)
            .Select(_ => new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp))];
        Task[] connecting = [.. waiting.Select(each => each.ConnectAsync(full.LocalEndPoint!))]; // The queue is full with one of them.
        int port = ((IPEndPoint)full.LocalEndPoint!).Port;
        var options = new ImmortalOptions
            { InstanceName = "counter", BindingSocket = $"tcp:127.0.0.1:{port}", ConnectTimeout = TimeSpan.FromMilliseconds(200) };

        CoordinatorUnavailableException error =
            await Assert.ThrowsAsync<CoordinatorUnavailableException>(() => RunAsync(options).WaitAsync(s_patience));

        Assert.Contains($"No coordinator accepted counter at tcp:127.0.0.1:{port} within 0 s (TimedOut)", error.Message,
            StringComparison.Ordinal);
        Array.ForEach(waiting, static each => each.Dispose());
        await Task.WhenAll(connecting).ContinueWith(static _ => { }, TaskScheduler.Default);
    }

    [Theory]
    [InlineData(false, "Unreachable")]
    [InlineData(true, "Starting")] // One that the app has started counts as starting until it ends.
    public async Task Silence_after_the_connection_is_told_and_ends_it(bool isOwn, string phase)
    {
        var monitor = new ServingMonitor();
        var log = new LineLogger();
        var clock = new ManualClock();
        (Socket socket, Socket peer) = await PairAsync();
        using var watch = new WelcomeWatch(new ImmortalOptions { InstanceName = "counter" }, "/a", socket, isOwn, clock, log, monitor);

        clock.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal((phase, 1), (monitor.Now.Phase.ToString(), log.Count("counter waits for its coordinator at /a")));
        Assert.Null(watch.Failure);

        clock.Advance(TimeSpan.FromSeconds(58));
        Assert.NotNull(watch.Failure);
        Assert.Equal(0, await peer.ReceiveAsync(new byte[1]));
        socket.Dispose();
        peer.Dispose();
    }

    [Fact]
    public async Task A_coordinator_that_has_answered_is_waited_for_as_long_as_it_takes()
    {
        var monitor = new ServingMonitor();
        var clock = new ManualClock();
        (Socket socket, Socket peer) = await PairAsync();
        using var watch = new WelcomeWatch(new ImmortalOptions(), "/a", socket, isOwn: false, clock, new LineLogger(), monitor);
        monitor.Attached(asReplica: false, 7);

        clock.Advance(TimeSpan.FromDays(1));

        Assert.Equal((ServingPhase.Recovering, null), (monitor.Now.Phase, watch.Failure));
        socket.Dispose();
        peer.Dispose();
    }

    public void Dispose() => _folder.Delete(recursive: true);

    private static Task RunAsync(ImmortalOptions options) =>
        new ImmortalHost(static () => new Counter(), options).RunAsync(CancellationToken.None);

    private static async Task<(Socket Socket, Socket Peer)> PairAsync()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(listener.LocalEndPoint!);
        return (socket, await listener.AcceptAsync());
    }

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
