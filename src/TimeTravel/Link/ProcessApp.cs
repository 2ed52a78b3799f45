using System.ComponentModel;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ambrosia.TimeTravel.Link;

/// <summary>
/// An app as a process of its own, told by environment variables to attach to us. It is started at the first connection, stays the same
/// over all later ones, and is started again when it has ended. What it prints goes to <paramref name="say"/>.
/// </summary>
/// <param name="command">Program and arguments.</param>
/// <param name="instance">Instance that it is to be.</param>
/// <param name="say">Gets each line that it prints.</param>
/// <param name="time">Clock, for the patience.</param>
/// <param name="environment">Variables for it beyond those that this class sets.</param>
public sealed class ProcessApp(
    IReadOnlyList<string> command, string instance, Action<string> say, TimeProvider time,
    IReadOnlyDictionary<string, string>? environment = null) : IReplayApp
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan s_farewell = TimeSpan.FromMilliseconds(500);
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-").FullName;
    private readonly Queue<string> _lastLines = new();
    private Socket? _listener;
    private Process? _process;

    /// <summary>Called with its process id whenever it was started: the moment to attach a debugger.</summary>
    public Action<int>? Started { get; set; }

    /// <summary>How long to wait for it to connect; attaching a debugger first takes time. Default 60 s.</summary>
    public TimeSpan Patience { get; set; } = s_patience;

    /// <inheritdoc/>
    public string Description => $"The app '{string.Join(' ', command)}'";

    /// <summary>Its process id; 0 before it was started.</summary>
    public int ProcessId => _process?.Id ?? 0;

    private string SocketPath => Path.Combine(_folder, "s");

    /// <inheritdoc/>
    public async Task<IDuplexPipe> ConnectAsync(CancellationToken cancellationToken)
    {
        if (_process is null or { HasExited: true })
        {
            Listen();
            Start();
        }

        using var patience = new CancellationTokenSource(Patience, time);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(patience.Token, cancellationToken);
        Task<Socket> accepting = _listener!.AcceptAsync(stop.Token).AsTask();
        Task ended = _process!.WaitForExitAsync(stop.Token);
        if (await Task.WhenAny(accepting, ended) == ended && !ended.IsCanceled && !accepting.IsCompletedSuccessfully)
        {
            await stop.CancelAsync();
            await SettleAsync(accepting);
            throw new ReplayException($"{Description} ended with code {_process.ExitCode} and never attached.{LastLines()}");
        }

        try
        {
            return new SocketPipe(await accepting);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ReplayException(
                $"{Description} did not attach within {Patience.TotalSeconds:0} s. It must run Immortal.RunAsync and take AMBROSIA_SOCKET "
                + $"from its environment.{LastLines()}");
        }
        finally
        {
            await stop.CancelAsync();
            await SettleAsync(ended);
        }
    }

    /// <inheritdoc/>
    public async Task RenewAsync()
    {
        if (_process is { HasExited: false } process)
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync();
        }
    }

    /// <inheritdoc/>
    public async Task<string?> DeathRecordAsync()
    {
        if (_process is null)
        {
            return null;
        }

        using var patience = new CancellationTokenSource(s_farewell, time);
        try
        {
            await _process.WaitForExitAsync(patience.Token);
            return $"it ended with code {_process.ExitCode}.{LastLines()}";
        }
        catch (OperationCanceledException)
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        AppDomain.CurrentDomain.ProcessExit -= TakeAlong;
        _listener?.Dispose();
        await RenewAsync();
        _process?.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    // Ended by a signal, this process disposes of nothing; an app that waits for a coordinator would then wait for ever.
    private void TakeAlong(object? sender, EventArgs e)
    {
        if (_process is { HasExited: false } process)
        {
            process.Kill(entireProcessTree: true);
        }

        Directory.Delete(_folder, recursive: true);
    }

    private static async Task SettleAsync(Task task)
    {
        try
        {
            await task;
        }
        catch (OperationCanceledException)
        {
            // That is what was asked of it.
        }
    }

    // A process that has ended may have dialled once more before: nobody may be connected with what it left in the queue.
    private void Listen()
    {
        _listener?.Dispose();
        File.Delete(SocketPath);
        _listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        _listener.Bind(new UnixDomainSocketEndPoint(SocketPath));
        _listener.Listen(4);
    }

    private void Start()
    {
        _process?.Dispose();
        var start = new ProcessStartInfo(command[0])
            { RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (string argument in command.Skip(1))
        {
            start.ArgumentList.Add(argument);
        }

        start.Environment["AMBROSIA_SOCKET"] = SocketPath;
        start.Environment["AMBROSIA_INSTANCE_NAME"] = instance;
        // Going back closes the connection; the process comes again with a fresh object.
        start.Environment["AMBROSIA_ON_COORDINATOR_EXIT"] = "wait";
        // We listen for as long as we live: when nobody does, we were killed, and it is to end as well.
        start.Environment["AMBROSIA_CONNECT_TIMEOUT"] = "5";
        // That its coordinator went away is news elsewhere; here it happens at every step back.
        start.Environment.TryAdd("AMBROSIA_LOG_LEVEL", "error");
        foreach ((string name, string value) in environment ?? new Dictionary<string, string>())
        {
            start.Environment[name] = value;
        }

        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += (_, line) => Hear(line.Data);
        _process.ErrorDataReceived += (_, line) => Hear(line.Data);
        try
        {
            _process.Start();
        }
        catch (Win32Exception error)
        {
            _process.Dispose();
            _process = null;
            throw new ReplayException($"'{command[0]}' cannot be started: {error.Message}", error);
        }

        AppDomain.CurrentDomain.ProcessExit -= TakeAlong;
        AppDomain.CurrentDomain.ProcessExit += TakeAlong;
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
        Started?.Invoke(_process.Id);
    }

    private void Hear(string? line)
    {
        if (line is null)
        {
            return;
        }

        lock (_lastLines)
        {
            _lastLines.Enqueue(line);
            if (_lastLines.Count > 12)
            {
                _lastLines.Dequeue();
            }
        }

        say(line);
    }

    private string LastLines()
    {
        lock (_lastLines)
        {
            return _lastLines.Count == 0 ? "" : "\nIt said:\n  " + string.Join("\n  ", _lastLines);
        }
    }
}
