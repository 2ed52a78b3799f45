using System.ComponentModel;
using System.Diagnostics;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Running;

/// <summary>One process of <c>ambrosia run</c>: started, watched, started again. Its lines are passed on with its name in front.</summary>
internal sealed class Part(string name, Func<ProcessStartInfo> describe, Func<int, bool> mayRestart, Terminal terminal, TimeProvider time)
    : IDisposable
{
    /// <summary>
    /// How long an app or a coordinator may take to stop: it ends with a checkpoint that may take a minute (--checkpoint-on-stop), and
    /// waits for effects.
    /// </summary>
    public static readonly TimeSpan StopPatience = TimeSpan.FromSeconds(75);

    // By then all that it wrote before its end is read. What comes later was written by processes that it has left behind.
    private static readonly TimeSpan s_lastWords = TimeSpan.FromMilliseconds(500);
    private readonly BackOff _backOff = new(time);
    private readonly object _gate = new();
    private Process? _process;
    private Task _reading = Task.CompletedTask;
    private bool _hasRun;
    private bool _isAsked;

    /// <summary>How often it was started again.</summary>
    public int Restarts { get; private set; }

    /// <summary>Runs it until it ends in a way that is final, or the token is cancelled and it has ended; returns the exit code.</summary>
    public async Task<int> RunAsync(CancellationToken stop)
    {
        int code = 0;
        while (!stop.IsCancellationRequested)
        {
            long started = time.GetTimestamp();
            string what;
            if (Start() is { } refusal)
            {
                (code, what) = ((int)CommandExit.Failed, refusal);
            }
            else
            {
                code = await EndAsync();
                what = $"ended with code {code}";
                if (stop.IsCancellationRequested || !mayRestart(code))
                {
                    return code;
                }
            }

            TimeSpan pause = _backOff.After(started);
            terminal.Line($"{name} {what}; starting it again in {pause.TotalSeconds:0.0} s");
            try
            {
                await Task.Delay(pause, time, stop);
            }
            catch (OperationCanceledException)
            {
                return code;
            }

            Restarts++;
        }

        return code;
    }

    /// <summary>Closes its standard input: for a coordinator this means that its owner has gone.</summary>
    public void CloseInput() => WhileItRuns(static process =>
    {
        if (process.StartInfo.RedirectStandardInput)
        {
            process.StandardInput.Close();
        }
    });

    /// <summary>Asks it to end by SIGTERM; one that is just being started is asked then.</summary>
    public void Terminate()
    {
        lock (_gate)
        {
            _isAsked = true;
            WhileItRuns(Signals.Terminate);
        }
    }

    /// <summary>Ends it at once.</summary>
    public void Kill() => WhileItRuns(static process => process.Kill());

    public void Dispose() => Hold(null);

    // Signals come on threads of their own, also while one process takes the place of another.
    private void WhileItRuns(Action<Process> act)
    {
        lock (_gate)
        {
            if (_process is { HasExited: false } process)
            {
                act(process);
            }
        }
    }

    private void Hold(Process? next)
    {
        lock (_gate)
        {
            _process?.Dispose();
            _process = next;
            if (next is not null && _isAsked)
            {
                Terminate();
            }
        }
    }

    // Null if it runs, else why it cannot be started again: its file is just being replaced, or the machine has no room.
    private string? Start()
    {
        Hold(null); // Until there is one: the caller that ends this part asks the process, and one that was never started cannot answer.
        var process = new Process { StartInfo = describe() };
        try
        {
            process.Start();
        }
        catch (Win32Exception error)
        {
            string sentence = $"cannot be started: {error.Message}";
            string file = process.StartInfo.FileName;
            process.Dispose();
            return _hasRun ? sentence : throw new CommandException(CommandExit.Failed, $"{file} {sentence}");
        }

        _hasRun = true;
        Hold(process);
        _reading = Task.WhenAll(
            OutputLines.PassAsync(process.StandardOutput, Pass), OutputLines.PassAsync(process.StandardError, Pass));
        return null;
    }

    // It has ended when its process has: what that has left behind may write on, and is passed on, too.
    private async Task<int> EndAsync()
    {
        Process process = _process!;
        await process.WaitForExitAsync(CancellationToken.None);
        await Task.WhenAny(_reading, Task.Delay(s_lastWords, time, CancellationToken.None));
        return process.ExitCode;
    }

    private void Pass(string line) => terminal.Line($"{name} | {line}");
}
