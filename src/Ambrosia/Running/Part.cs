using System.ComponentModel;
using System.Diagnostics;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Running;

/// <summary>One process of <c>ambrosia run</c>: started, watched, started again. Its lines are passed on with its name in front.</summary>
internal sealed class Part(string name, Func<ProcessStartInfo> describe, Func<int, bool> mayRestart, Terminal terminal, TimeProvider time) : IDisposable
{
    private readonly BackOff _backOff = new(time);
    private Process? _process;

    /// <summary>How often it was started again.</summary>
    public int Restarts { get; private set; }

    /// <summary>Runs it until it ends in a way that is final, or the token is cancelled and it has ended; returns the exit code.</summary>
    public async Task<int> RunAsync(CancellationToken stop)
    {
        while (true)
        {
            long started = time.GetTimestamp();
            int code = await RunOnceAsync();
            if (stop.IsCancellationRequested || !mayRestart(code))
            {
                return code;
            }

            TimeSpan pause = _backOff.After(started);
            terminal.Line($"{name} ended with code {code}; starting it again in {pause.TotalSeconds:0.0} s");
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
    }

    /// <summary>Closes its standard input: for a coordinator this means that its owner has gone.</summary>
    public void CloseInput()
    {
        if (_process is { HasExited: false } process && process.StartInfo.RedirectStandardInput)
        {
            process.StandardInput.Close();
        }
    }

    /// <summary>Asks it to end by SIGTERM.</summary>
    public void Terminate()
    {
        if (_process is { HasExited: false } process)
        {
            Signals.Terminate(process.Id);
        }
    }

    /// <summary>Ends it at once.</summary>
    public void Kill()
    {
        if (_process is { HasExited: false } process)
        {
            process.Kill();
        }
    }

    public void Dispose() => _process?.Dispose();

    private async Task<int> RunOnceAsync()
    {
        _process?.Dispose();
        _process = null; // Until there is one: who ends this part asks the process, and one that was never started cannot answer.
        var process = new Process { StartInfo = describe() };
        process.OutputDataReceived += (_, line) => Pass(line.Data);
        process.ErrorDataReceived += (_, line) => Pass(line.Data);
        try
        {
            process.Start();
        }
        catch (Win32Exception error)
        {
            process.Dispose();
            throw new CommandException(CommandExit.Failed, $"{process.StartInfo.FileName} cannot be started: {error.Message}");
        }

        _process = process;
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        await process.WaitForExitAsync(CancellationToken.None);
        return process.ExitCode;
    }

    private void Pass(string? line)
    {
        if (line is not null)
        {
            terminal.Line($"{name} | {line}");
        }
    }
}
