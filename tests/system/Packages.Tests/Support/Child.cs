using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Ambrosia.Packages.Tests.Support;

/// <summary>One program that a person would start at a terminal: what it is typed, and what it says.</summary>
internal sealed class Child : IDisposable
{
    private const int SignalKill = 9;
    private const int SignalTerminate = 15;
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(4);
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(20);
    private readonly Process _process;
    private readonly List<string> _lines = [];

    private Child(Process process) => _process = process;

    /// <summary>Everything it wrote so far.</summary>
    public string Output
    {
        get
        {
            lock (_lines)
            {
                return string.Join('\n', _lines);
            }
        }
    }

    public int ExitCode => _process.ExitCode;

    public int Id => _process.Id;

    /// <summary>Starts it.</summary>
    public static Child Start(ProcessStartInfo start)
    {
        (start.RedirectStandardInput, start.RedirectStandardOutput, start.RedirectStandardError) = (true, true, true);
        var child = new Child(new Process { StartInfo = start });
        child._process.OutputDataReceived += (_, line) => child.Keep(line.Data);
        child._process.ErrorDataReceived += (_, line) => child.Keep(line.Data);
        child._process.Start();
        child._process.BeginOutputReadLine();
        child._process.BeginErrorReadLine();
        return child;
    }

    /// <summary>Types a line.</summary>
    public async Task TypeAsync(string line)
    {
        await _process.StandardInput.WriteLineAsync(line);
        await _process.StandardInput.FlushAsync();
    }

    /// <summary>Waits until it has said something, and returns that line.</summary>
    public async Task<string> SaysAsync(string text)
    {
        var watch = Stopwatch.StartNew();
        while (true)
        {
            bool ended = _process.HasExited;
            if (Output.Split('\n').FirstOrDefault(line => line.Contains(text, StringComparison.Ordinal)) is { } found)
            {
                return found;
            }

            Assert.False(ended, $"It ended before it said '{text}':\n{Output}");
            Assert.True(watch.Elapsed < s_patience, $"It never said '{text}':\n{Output}");
            await Task.Delay(s_pause);
        }
    }

    /// <summary>Waits until it has ended, and returns what it said.</summary>
    public async Task<string> EndAsync()
    {
        using var patience = new CancellationTokenSource(s_patience);
        await _process.WaitForExitAsync(patience.Token);
        return Output;
    }

    /// <summary>SIGKILL to a process that said its number.</summary>
    public static void Kill(int process) => Assert.Equal(0, Signal(process, SignalKill));

    /// <summary>SIGTERM: a clean stop.</summary>
    public static void Stop(int process) => Assert.Equal(0, Signal(process, SignalTerminate));

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
            _process.WaitForExit();
        }

        _process.Dispose();
    }

    private void Keep(string? line)
    {
        lock (_lines)
        {
            if (line is not null)
            {
                _lines.Add(line);
            }
        }
    }

    [DllImport("libc", EntryPoint = "kill")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Signal(int process, int signal);
}
