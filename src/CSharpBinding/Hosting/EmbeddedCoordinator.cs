using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using Ambrosia.Primitives;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Hosting;

/// <summary>
/// A coordinator that the app starts beside itself. The two are tied by a pipe, the coordinator's standard input: however the app
/// ends, the pipe ends too, and the coordinator within a second.
/// </summary>
internal sealed class EmbeddedCoordinator : IAsyncDisposable
{
    private const int KeptLines = 12;
    private const string CoordinatorName = "Ambrosia.ImmortalCoordinator";
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_drainOfCoordinator = TimeSpan.FromSeconds(10); // Its default.
    private readonly Queue<string> _lastLines = new();
    private string _lastWord = "";
    private readonly Process _process;
    private readonly ImmortalOptions _options;
    private readonly TimeProvider _time;

    private EmbeddedCoordinator(Process process, ImmortalOptions options, TimeProvider time, string socket)
    {
        _process = process;
        _options = options;
        _time = time;
        Socket = socket;
    }

    /// <summary>Path of the socket at which it accepts the app.</summary>
    public string Socket { get; }

    /// <summary>Starts it.</summary>
    /// <param name="options">The immortal's.</param>
    /// <param name="time">Clock.</param>
    /// <param name="logger">The app's log.</param>
    /// <param name="folder">Where to look for the one that the app brings along; null for beside the app.</param>
    /// <exception cref="CoordinatorUnavailableException">There is none, or it cannot be started.</exception>
    public static EmbeddedCoordinator Start(ImmortalOptions options, TimeProvider time, ILogger logger, string? folder = null)
    {
        string executable = options.Coordinator.Length > 0 ? Named(options.Coordinator) : Find(folder ?? Beside);
        string socket = CoordinatorSocket.NewPath(options, Environment.GetEnvironmentVariable("XDG_RUNTIME_DIR"));
        try
        {
            return Start(executable, socket, options, time, logger);
        }
        catch (CoordinatorUnavailableException error)
            when (options.Coordinator.Length == 0 && PortableInPlaceOf(executable, folder ?? Beside) is not null)
        {
            // Its right to be executed was lost on the way, as in some archives, or its file system gives none.
            BindingLog.TakesPortable(logger, options.InstanceName, error.Message);
            return Start(PortableInPlaceOf(executable, folder ?? Beside)!, socket, options, time, logger);
        }
    }

    private static string Beside => Path.Combine(AppContext.BaseDirectory, "coordinator");

    private static EmbeddedCoordinator Start(string executable, string socket, ImmortalOptions options, TimeProvider time, ILogger logger)
    {
        ProcessStartInfo start = DotnetProgram.StartOf(executable);
        (start.RedirectStandardInput, start.RedirectStandardOutput, start.RedirectStandardError) = (true, true, true);
        AddArguments(start, options, socket);
        start.Environment["AMBROSIA_LOG_FORMAT"] = "json"; // Each line reaches the app's log at its own level.
        var coordinator = new EmbeddedCoordinator(new Process { StartInfo = start }, options, time, socket);
        coordinator.Launch(executable, logger);
        return coordinator;
    }

    /// <summary>True once its process has ended.</summary>
    public bool HasEnded => _process.HasExited;

    /// <summary>Throws if it has ended, with what it said last.</summary>
    /// <exception cref="CoordinatorUnavailableException">It has ended.</exception>
    public async ValueTask ThrowIfEndedAsync()
    {
        if (_process.HasExited)
        {
            await _process.WaitForExitAsync(CancellationToken.None); // Until its last lines have been read, too.
            throw new CoordinatorUnavailableException($"The coordinator of {_options.InstanceName} {HowItEnded()} before it accepted the "
                + $"app{LastWord()}")
            {
                CoordinatorCode = _process.ExitCode,
            };
        }
    }

    /// <summary>What it said last, as indented lines, or "".</summary>
    public string LastLines()
    {
        lock (_lastLines)
        {
            return _lastLines.Count == 0 ? "" : "\nIt said:\n  " + string.Join("\n  ", _lastLines);
        }
    }

    /// <summary>
    /// How it ended, after its connection has: the exit code, and one sentence with what it said last if that was an error. Null if it is
    /// still there half a second later.
    /// </summary>
    public async Task<(int Code, string Text)?> EndAsync()
    {
        using var patience = new CancellationTokenSource(TimeSpan.FromMilliseconds(500), _time);
        try
        {
            await _process.WaitForExitAsync(patience.Token);
        }
        catch (OperationCanceledException)
        {
            return null;
        }

        return (_process.ExitCode, $"The coordinator {HowItEnded()}{LastWord()}");
    }

    /// <summary>Waits until it has ended by itself.</summary>
    public Task EndedAsync(CancellationToken stop) => _process.WaitForExitAsync(stop);

    /// <summary>Ends it: the pipe is closed, and after a time in which it should have ended by itself it is killed.</summary>
    public async ValueTask DisposeAsync()
    {
        using Process process = _process;
        try
        {
            process.StandardInput.Close();
            using var patience = new CancellationTokenSource(s_patience, _time);
            await process.WaitForExitAsync(patience.Token);
        }
        catch (OperationCanceledException)
        {
            process.Kill();
            await process.WaitForExitAsync(CancellationToken.None);
        }
        catch (IOException)
        {
            // It was gone before its pipe was closed: that is what is wanted.
            await process.WaitForExitAsync(CancellationToken.None);
        }

        CoordinatorSocket.Remove(Socket);
    }

    private static void AddArguments(ProcessStartInfo start, ImmortalOptions options, string socket)
    {
        void Add(string name, string value)
        {
            if (value.Length > 0)
            {
                start.ArgumentList.Add(name);
                start.ArgumentList.Add(value);
            }
        }

        Add("--instance-name", options.InstanceName);
        Add("--store", options.Store);
        Add("--catalog", options.Catalog);
        Add("--binding-socket", socket);
        Add("--ingress", options.Ingress);
        // A coordinator that is asked to stop waits for its app, which waits for its effects.
        Add("--drain-timeout", DrainTimeoutFor(options));
        start.ArgumentList.Add("--owner-pipe");
        foreach (string argument in options.CoordinatorArguments.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            start.ArgumentList.Add(argument);
        }
    }

    private static string DrainTimeoutFor(ImmortalOptions options) =>
        options.EffectsDrain <= s_drainOfCoordinator / 2 || Environment.GetEnvironmentVariable("AMBROSIA_DRAIN_TIMEOUT") is { Length: > 0 }
            || options.CoordinatorArguments.Contains("--drain-timeout", StringComparison.Ordinal)
            ? ""
            : string.Create(CultureInfo.InvariantCulture,
                $"{Math.Ceiling((options.EffectsDrain + (s_drainOfCoordinator / 2)).TotalSeconds)}s");

    private static string Named(string coordinator) => File.Exists(coordinator)
        ? coordinator
        : throw new CoordinatorUnavailableException($"There is no coordinator at {coordinator} (--coordinator, AMBROSIA_COORDINATOR).");

    private static string Find(string folder) => DotnetProgram.Find(folder, CoordinatorName)
        ?? throw new CoordinatorUnavailableException($"There is no coordinator in {folder}: build the app with AmbrosiaEmbedCoordinator "
            + "set to true (the default) and the package Ambrosia referenced by the executable's own project, name a coordinator by "
            + "--coordinator, or attach to one that runs by --binding-socket.");

    private static string? PortableInPlaceOf(string executable, string folder)
    {
        string portable = Path.Combine(folder, CoordinatorName + ".dll");
        return executable != portable && File.Exists(portable) ? portable : null;
    }

    private void Launch(string executable, ILogger logger)
    {
        _process.OutputDataReceived += (_, line) => Keep(line.Data, logger);
        _process.ErrorDataReceived += (_, line) => Keep(line.Data, logger);
        try
        {
            _process.Start();
        }
        catch (Win32Exception error)
        {
            string host = _process.StartInfo.FileName;
            _process.Dispose();
            throw new CoordinatorUnavailableException(DotnetProgram.NeedsRuntime(executable)
                ? $"The coordinator {executable} needs the ASP.NET Core runtime, and {host} cannot be started: install "
                    + $".NET 8 or newer and set DOTNET_ROOT to its folder, or name a native coordinator by --coordinator ({error.Message})"
                : $"The coordinator {executable} cannot be started: {error.Message}");
        }

        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
        BindingLog.CoordinatorStarted(logger, _options.InstanceName, executable, _process.Id);
    }

    private string HowItEnded() =>
        CoordinatorExit.LacksRuntime(_process.ExitCode) ? "could not run: it needs the ASP.NET Core runtime, .NET 8 or newer, and the .NET "
                + "that was found has none. Install aspnetcore-runtime, or name a native coordinator by --coordinator"
            : CoordinatorExit.IsSignal(_process.ExitCode) ? $"was ended by signal {_process.ExitCode - 128}"
            : $"ended with code {_process.ExitCode}";

    // One sentence if it named a failure, else its last lines. After a kill they say nothing about the end.
    private string LastWord()
    {
        if (_process.ExitCode == 0 || CoordinatorExit.IsKill(_process.ExitCode))
        {
            return ".";
        }

        lock (_lastLines)
        {
            return _lastWord.Length > 0 ? $": {_lastWord}" : $".{LastLines()}";
        }
    }

    private void Keep(string? line, ILogger logger)
    {
        if (string.IsNullOrEmpty(line))
        {
            return;
        }

        var said = CoordinatorLine.Read(line);
        BindingLog.CoordinatorSaid(logger, said.Level, said.Text);
        lock (_lastLines)
        {
            _lastWord = said.Level == LogLevel.Critical ? said.Text : _lastWord;
            _lastLines.Enqueue(said.Text);
            if (_lastLines.Count > KeptLines)
            {
                _lastLines.Dequeue();
            }
        }
    }
}
