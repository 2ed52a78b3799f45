using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Errors;

namespace Ambrosia.Cli.Running;

/// <summary>
/// Coordinator and app in one terminal: either is started again alone when it crashes; both end when the app is done or a signal comes.
/// </summary>
internal sealed class Pair : ICrewMember
{
    private static readonly TimeSpan s_silence = TimeSpan.FromSeconds(5);

    // A restart changes nothing about these: a person must act.
    private static readonly int[] s_final =
    [
        (int)ExitCode.Stopped, (int)ExitCode.Configuration, (int)ExitCode.Diverged, (int)ExitCode.StoreDamaged,
        (int)ExitCode.StoreNotUsable,
        (int)ExitCode.NumberTaken,
    ];

    /// <summary>Exit code of an app whose options are wrong.</summary>
    public const int Usage = 64;

    /// <summary>Exit code of an app whose place another has taken.</summary>
    public const int Replaced = 76;

    /// <summary>Exit code of an app whose build does not fit the log; it would not fit it the next time either.</summary>
    public const int BuildRefused = 78;

    private readonly CancellationTokenSource _stop = new();
    private readonly Part _coordinator;
    private readonly Part _app;
    private readonly Launch _launch;
    private readonly Terminal _terminal;
    private readonly TimeProvider _time;
    private int _interrupts;

    /// <summary>A pair that has not been started.</summary>
    /// <param name="launch">What is started.</param>
    /// <param name="labels">How the lines of coordinator and app begin.</param>
    /// <param name="terminal">Where they are passed on to.</param>
    /// <param name="time">The clock.</param>
    public Pair(Launch launch, (string Coordinator, string App) labels, Terminal terminal, TimeProvider time)
    {
        (_launch, _terminal, _time) = (launch, terminal, time);
        int starts = 0;
        _coordinator = new Part(
            labels.Coordinator, () => launch.DescribeCoordinator(first: ++starts == 1), static code =>
                !s_final.Contains(code), terminal, time);
        _app = new Part(labels.App, launch.DescribeApp, MayStartAgain, terminal, time);
    }

    /// <summary>Whether an app that ended with this code is started again: not if it is done, or would end like that again.</summary>
    public static bool MayStartAgain(int code) => code is not (0 or Usage or Replaced or BuildRefused);

    /// <summary>How often one of both was started again.</summary>
    public int Restarts => _coordinator.Restarts + _app.Restarts;

    /// <summary>Stops both: the app is asked to end, the coordinator after it. Said again, both are killed.</summary>
    public void Interrupt()
    {
        if (Interlocked.Increment(ref _interrupts) > 1)
        {
            Kill();
        }

        _stop.Cancel();
        _app.Terminate();
    }

    public void Dispose()
    {
        _coordinator.Dispose();
        _app.Dispose();
        _stop.Dispose();
    }

    /// <summary>Runs until the app is done, the coordinator gives up, or both are stopped.</summary>
    /// <returns>The app's exit code, or the coordinator's if that ended the pair.</returns>
    public async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using CancellationTokenRegistration registration = _stop.Token.Register(() => asked.TrySetResult());
        await using CancellationTokenRegistration outer = cancellationToken.Register(_stop.Cancel);
        Task<int> coordinating = _coordinator.RunAsync(_stop.Token);
        Task<int> running = _app.RunAsync(_stop.Token);
        try
        {
            await Task.WhenAny(coordinating, running, asked.Task);
            if (running.IsCompleted && !_stop.IsCancellationRequested && await running == Replaced)
            {
                _terminal.Line($"{_launch.Label}: another app has taken this one's place; this terminal keeps the coordinator");
                await Task.WhenAny(coordinating, asked.Task);
            }

            if (running.IsCompleted && !_stop.IsCancellationRequested && await running == BuildRefused)
            {
                _terminal.Line(
                    $"{_launch.Label}: the build of the app does not fit the log, and starting it again would not help: its last lines "
                    + $"say what does");
            }

            bool coordinatorGaveUp = coordinating.IsCompleted && !running.IsCompleted;
            await _stop.CancelAsync();
            await EndAsync("app", _app, running, _app.Terminate);
            await EndAsync("coordinator", _coordinator, coordinating, _coordinator.CloseInput);
            int code = await (coordinatorGaveUp ? coordinating : running);
            _terminal.Line($"{_launch.Label}: stopped{Ending(coordinatorGaveUp ? code : 0)}");
            return code;
        }
        finally
        {
            await _stop.CancelAsync(); // Else the one that is killed would be started again.
            Kill();
        }
    }

    private void Kill()
    {
        _app.Kill();
        _coordinator.Kill();
    }

    // Of a log that lost something nothing is promised: the coordinator's own line says what is safe.
    private static string Ending(int gaveUp) => (ExitCode)gaveUp switch
    {
        ExitCode.Stopped => "; everything acknowledged is in its log",
        ExitCode.StoreDamaged or ExitCode.Diverged =>
            $", because its coordinator ended with code {gaveUp}; a person must decide, and its last line says what is safe",
        _ => $", because its coordinator ended with code {gaveUp}; everything acknowledged is in its log",
    };

    private async Task EndAsync(string what, Part part, Task<int> running, Action ask)
    {
        if (running.IsCompleted)
        {
            return;
        }

        ask();
        try
        {
            if (await Task.WhenAny(running, Task.Delay(s_silence, _time)) != running)
            {
                _terminal.Line(
                    $"{_launch.Label}: waits for the {what} to end, for {Part.StopPatience.TotalSeconds:0} s at most; Ctrl+C kills it");
            }

            await running.WaitAsync(Part.StopPatience - s_silence, _time);
        }
        catch (TimeoutException)
        {
            part.Kill();
            await running;
        }
    }
}
