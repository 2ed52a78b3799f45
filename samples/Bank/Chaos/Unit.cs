using System.Globalization;
using Ambrosia.Samples;

namespace Bank;

/// <summary>One immortal as the outside sees it: a coordinator and an app, each started again whenever it has ended.</summary>
internal sealed class Unit
{
    private static readonly TimeSpan s_answerTime = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_pauseAfterFailure = TimeSpan.FromMilliseconds(200);
    private readonly SampleRun _run;
    private readonly UnitSettings _settings;
    private readonly object _gate = new();
    private readonly string _socket;
    private SampleProcess? _coordinator;
    private SampleProcess? _app;
    private long _appStarted;
    private ulong _epoch;
    private TaskCompletionSource<TimeSpan> _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource<string>? _answer;
    private long _downSince;
    private volatile bool _ending;

    public Unit(SampleRun run, UnitSettings settings)
    {
        _run = run;
        _settings = settings;
        _socket = Path.Combine(run.Folder, settings.Name + ".sock");
        _downSince = TimeProvider.System.GetTimestamp();
    }

    public string Name => _settings.Name;

    /// <summary>Processes that ended although nobody had killed them or their partner.</summary>
    public List<string> Surprises { get; } = [];

    /// <summary>Completes when the immortal serves again after the last kill, with the time since.</summary>
    public Task<TimeSpan> Ready
    {
        get
        {
            lock (_gate)
            {
                return _ready.Task;
            }
        }
    }

    public void Start()
    {
        _ = KeepAsync(StartCoordinator, Part.Coordinator);
        _ = KeepAsync(StartApp, Part.App);
    }

    /// <summary>From now on nothing is started again.</summary>
    public void End() => _ending = true;

    /// <summary>Kills one or both processes.</summary>
    /// <returns>How many were there to be killed.</returns>
    public int Kill(Part part)
    {
        lock (_gate)
        {
            int killed = 0;
            if (part.HasFlag(Part.Coordinator) && _coordinator?.Kill() == true)
            {
                killed++;
            }

            if (part.HasFlag(Part.App) && _app?.Kill() == true)
            {
                killed++;
            }

            if (killed > 0)
            {
                _downSince = TimeProvider.System.GetTimestamp();
                if (_ready.Task.IsCompleted)
                {
                    _ready = new TaskCompletionSource<TimeSpan>(TaskCreationOptions.RunContinuationsAsynchronously);
                }
            }

            return killed;
        }
    }

    /// <summary>Sends a command to the app and waits for the answer; asks again if the app was replaced meanwhile.</summary>
    public async Task<string> AskAsync(string command, CancellationToken stop)
    {
        while (true)
        {
            await Ready.WaitAsync(stop);
            var answer = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
            SampleProcess app;
            lock (_gate)
            {
                _answer = answer;
                app = _app!;
            }

            await app.SendAsync(command);
            Task first = await Task.WhenAny(answer.Task, Task.Delay(s_answerTime, stop));
            stop.ThrowIfCancellationRequested();
            if (first == answer.Task)
            {
                return (await answer.Task)[(command.Length + 1)..];
            }
        }
    }

    private async Task KeepAsync(Func<SampleProcess> start, Part part)
    {
        while (!_ending)
        {
            SampleProcess process;
            try
            {
                process = start();
            }
            catch (OperationCanceledException)
            {
                return;
            }

            int code = await process.Exited;
            // 137 is our kill; an app ends with 75 when its coordinator is gone. Anything else is worth telling.
            if (!_ending && code != ExitCodes.Killed && !(part == Part.App && code == ExitCodes.CoordinatorLost))
            {
                lock (_gate)
                {
                    Surprises.Add($"the {part.ToString().ToLowerInvariant()} of {Name} ended with code {code}; see {LogOf(part)}");
                }

                await Task.Delay(s_pauseAfterFailure);
            }
        }
    }

    private SampleProcess StartCoordinator()
    {
        string program = Path.Combine(AppContext.BaseDirectory, "coordinator",
            "Ambrosia.ImmortalCoordinator" + (OperatingSystem.IsWindows() ? ".exe" : ""));
        string[] arguments =
        [
            "--instance-name", Name, "--store", _run.Store, "--catalog", _run.Catalog, "--binding-socket", _socket, "--owner-pipe",
            // Small pages and segments, so that a minute sees many checkpoints and many new log files.
            "--page-size", "64KiB", "--segment-size", "256KiB", "--checkpoint-every", "128KiB",
        ];
        lock (_gate)
        {
            return _coordinator = _run.Start(program, arguments, line => Keep(Part.Coordinator, line));
        }
    }

    private SampleProcess StartApp()
    {
        lock (_gate)
        {
            _appStarted = TimeProvider.System.GetTimestamp();
            long started = _appStarted;
            return _app = _run.StartSelf([_settings.Role, "--instance-name", Name, "--binding-socket", _socket], line =>
                ReadApp(line, started));
        }
    }

    private void ReadApp(string line, long started)
    {
        Keep(Part.App, line);
        if (line.StartsWith(Desk.Answer, StringComparison.Ordinal))
        {
            lock (_gate)
            {
                _answer?.TrySetResult(line[Desk.Answer.Length..]);
            }
        }
        else if (line.StartsWith(Desk.Ready, StringComparison.Ordinal))
        {
            TakeReady(ulong.Parse(line.AsSpan(Desk.Ready.Length), CultureInfo.InvariantCulture), started);
        }
    }

    // An app that says it is ready may have been cut off by a kill while the line was on its way: what counts is an app or an epoch younger
    // than the kill.
    private void TakeReady(ulong epoch, long started)
    {
        lock (_gate)
        {
            if (started >= _downSince || epoch > _epoch)
            {
                _ready.TrySetResult(TimeProvider.System.GetElapsedTime(_downSince));
            }

            _epoch = Math.Max(_epoch, epoch);
        }
    }

    private string LogOf(Part part) => Path.Combine(_run.Folder, $"{Name}-{part.ToString().ToLowerInvariant()}.log");

    private void Keep(Part part, string line)
    {
        lock (_gate)
        {
            File.AppendAllText(LogOf(part), line + Environment.NewLine);
        }
    }
}
