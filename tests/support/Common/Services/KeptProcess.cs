using System.Diagnostics;

namespace Ambrosia.Services;

/// <summary>A program that tests start beside themselves. What it says is kept for a test that fails because of it.</summary>
internal sealed class KeptProcess : IDisposable
{
    private readonly List<string> _lines = [];

    private KeptProcess(ProcessStartInfo start)
    {
        Process = Process.Start(start)!;
        Process.OutputDataReceived += (_, line) => Keep(line.Data);
        Process.ErrorDataReceived += (_, line) => Keep(line.Data);
        Process.BeginOutputReadLine();
        Process.BeginErrorReadLine();
    }

    public Process Process { get; }

    public static KeptProcess Start(string folder, string[] command, params (string Name, string Value)[] environment)
    {
        var start = new ProcessStartInfo(command[0], command[1..])
            { RedirectStandardOutput = true, RedirectStandardError = true, WorkingDirectory = folder };
        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        return new KeptProcess(start);
    }

    /// <summary>Starts one and waits until it has ended well.</summary>
    public static async Task RunAsync(TimeSpan patience, string folder, string[] command, params (string Name, string Value)[] environment)
    {
        using KeptProcess run = Start(folder, command, environment);
        await run.Process.WaitForExitAsync().WaitAsync(patience);
        Assert.True(run.Process.ExitCode == 0, run.Said());
    }

    /// <summary>Fails with what it said if it does not run.</summary>
    public void RequireRunning() => Assert.False(Process.HasExited, Said());

    public void Dispose() => Process.Dispose();

    private string Said()
    {
        lock (_lines)
        {
            return string.Join('\n', _lines);
        }
    }

    private void Keep(string? line)
    {
        lock (_lines)
        {
            _lines.Add(line ?? "");
        }
    }
}
