using System.Runtime.InteropServices;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Errors;

namespace Ambrosia.Cli.Running;

/// <summary>Coordinator and app in one terminal: either is started again alone when it crashes; both end when the app is done or a signal comes.</summary>
internal sealed class Pair(Launch launch, Terminal terminal, TimeProvider time)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);

    // A restart changes nothing about these: a person must act.
    private static readonly int[] s_final =
    [
        (int)ExitCode.Stopped, (int)ExitCode.Configuration, (int)ExitCode.Diverged, (int)ExitCode.StoreDamaged, (int)ExitCode.StoreNotUsable,
        (int)ExitCode.NumberTaken,
    ];

    /// <summary>Exit code of an app whose options are wrong.</summary>
    public const int Usage = 64;

    /// <summary>Exit code of an app whose place another has taken.</summary>
    public const int Replaced = 76;

    private int _signals;

    /// <summary>Runs until the app is done, the coordinator gives up, or the person at the terminal stops it.</summary>
    /// <returns>The app's exit code, or the coordinator's if that ended the pair.</returns>
    public async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using CancellationTokenRegistration registration = stop.Token.Register(() => asked.TrySetResult());
        int starts = 0;
        using var coordinator = new Part("coordinator", () => launch.DescribeCoordinator(first: ++starts == 1), static code => !s_final.Contains(code), terminal, time);
        using var app = new Part("app", launch.DescribeApp, static code => code is not (0 or Usage or Replaced), terminal, time);
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, OnSignal);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnSignal);
        terminal.Line($"{launch.Instance}: coordinator and {launch.Program[0]}; Ctrl+C stops both");
        Task<int> coordinating = coordinator.RunAsync(stop.Token);
        Task<int> running = app.RunAsync(stop.Token);
        try
        {
            await Task.WhenAny(coordinating, running, asked.Task);
            if (running.IsCompleted && !stop.IsCancellationRequested && await running == Replaced)
            {
                terminal.Line($"{launch.Instance}: another app has taken this one's place; this terminal keeps the coordinator");
                await Task.WhenAny(coordinating, asked.Task);
            }

            bool coordinatorGaveUp = coordinating.IsCompleted && !running.IsCompleted;
            await stop.CancelAsync();
            await EndAsync(app, running, app.Terminate);
            await EndAsync(coordinator, coordinating, coordinator.CloseInput);
            int code = await (coordinatorGaveUp ? coordinating : running);
            terminal.Line($"{launch.Instance}: stopped{Ending(coordinatorGaveUp ? code : 0)}");
            return code;
        }
        finally
        {
            app.Kill();
            coordinator.Kill();
        }

        void OnSignal(PosixSignalContext signal)
        {
            signal.Cancel = true;
            if (Interlocked.Increment(ref _signals) > 1)
            {
                app.Kill();
                coordinator.Kill();
            }

            stop.Cancel();
            app.Terminate();
        }
    }

    // Of a log that lost something nothing is promised: the coordinator's own line says what is safe.
    private static string Ending(int gaveUp) => (ExitCode)gaveUp switch
    {
        ExitCode.Stopped => "; everything acknowledged is in its log",
        ExitCode.StoreDamaged or ExitCode.Diverged =>
            $", because its coordinator ended with code {gaveUp}; a person must decide, and its last line says what is safe",
        _ => $", because its coordinator ended with code {gaveUp}; everything acknowledged is in its log",
    };

    private async Task EndAsync(Part part, Task<int> running, Action ask)
    {
        if (running.IsCompleted)
        {
            return;
        }

        ask();
        try
        {
            await running.WaitAsync(s_patience, time);
        }
        catch (TimeoutException)
        {
            part.Kill();
            await running;
        }
    }
}
