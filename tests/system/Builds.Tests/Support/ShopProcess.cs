using System.Collections.Concurrent;
using System.Diagnostics;

namespace Ambrosia.Builds.Tests.Support;

/// <summary>A process that runs one build of the shop.</summary>
internal sealed class ShopProcess : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private readonly Process _process;
    private readonly BlockingCollection<string> _lines = [];

    /// <summary>Starts it.</summary>
    /// <param name="assembly">The build.</param>
    /// <param name="folder">Where its log is.</param>
    /// <param name="accept">What it accepts.</param>
    /// <param name="beside">Whether its coordinator is a process beside it.</param>
    /// <param name="variables">What its environment holds beyond that of the tests.</param>
    public ShopProcess(
        string assembly, string folder, string accept = "", bool beside = false, params (string Name, string Value)[] variables)
    {
        string app = Path.Combine(AppContext.BaseDirectory, "Builds.App.dll");
        var start = new ProcessStartInfo("dotnet", [app, assembly, folder, accept, beside ? "beside" : ""])
        {
            RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true,
        };
        foreach ((string name, string value) in variables)
        {
            start.Environment[name] = value;
        }

        _process = Process.Start(start)!;
        _process.OutputDataReceived += (_, line) => Take(line.Data);
        _process.ErrorDataReceived += (_, line) => Take(line.Data);
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    /// <summary>All that it wrote that was read.</summary>
    public string Output { get; private set; } = "";

    public int ExitCode => _process.ExitCode;

    /// <summary>Reads until a line that begins so; null if the process ended before.</summary>
    public string? Until(string beginning)
    {
        while (_lines.TryTake(out string? line, s_patience))
        {
            Output += line + "\n";
            if (line.StartsWith(beginning, StringComparison.Ordinal))
            {
                return line;
            }
        }

        if (!_lines.IsCompleted)
        {
            Assert.Fail($"no '{beginning}' within a minute:\n{Output}");
        }

        _process.WaitForExit();
        return null;
    }

    /// <summary>Sends an impulse, and waits until it is logged.</summary>
    public void Call(params string[] words)
    {
        _process.StandardInput.WriteLine(string.Join('\t', words));
        Assert.True(Until("done") is not null, Output);
    }

    /// <summary>The state in the immortal's own words.</summary>
    public string State()
    {
        int before = Output.Length;
        Call("Say");
        string said = Output[before..]; // It is said in the turn, which ends before the call does.
        return said[said.IndexOf("state: ", StringComparison.Ordinal)..];
    }

    /// <summary>Ends it as a failure does.</summary>
    public void Kill()
    {
        _process.Kill();
        _process.WaitForExit();
    }

    /// <summary>Ends it as a person does.</summary>
    public void Stop()
    {
        _process.StandardInput.WriteLine("stop");
        _process.WaitForExit();
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            Kill();
        }

        _process.Dispose();
        _lines.Dispose();
    }

    // Two streams end, each with null.
    private int _ended;

    private void Take(string? line)
    {
        if (line is not null)
        {
            _lines.Add(line);
        }
        else if (Interlocked.Increment(ref _ended) == 2)
        {
            _lines.CompleteAdding();
        }
    }
}
