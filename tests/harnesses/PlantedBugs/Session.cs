using System.Diagnostics;
using System.Globalization;

namespace Ambrosia.PlantedBugs;

/// <summary>
/// A process that runs harness after harness of one test project, each with another bug. Its code is compiled once, where a process for
/// each bug spends most of its time on that. What a bug has left in it might be noticed in place of the next one: so its harness has to be
/// silent without a bug in the same process afterwards, and what is not as it should be is tried again in a process of its own.
/// </summary>
internal sealed class Session : IAsyncDisposable
{
    /// <summary>After so many a new process is better than one in which much has been left.</summary>
    private const int MostAttempts = 60;

    private readonly Process _process;
    private readonly TimeSpan _patience;
    private int _attempts;

    private Session(Process process, string project, TimeSpan patience)
    {
        _process = process;
        _patience = patience;
        Project = project;
    }

    /// <summary>The test project that it has loaded.</summary>
    public string Project { get; }

    /// <summary>Whether it is worth keeping.</summary>
    public bool IsUsable => !HasEnded && _attempts < MostAttempts;

    /// <summary>Whether its process has ended, or does not answer: what it is asked now is a failure.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>Starts its process.</summary>
    public static Session Start(string repository, string project, TimeSpan patience)
    {
        ProcessStartInfo start = Attempt.Runner(["serve", repository], patience, Attempt.MostSeeds);
        start.RedirectStandardInput = true;
        Process process = Process.Start(start)!;
        process.ErrorDataReceived += static (_, _) => { }; // What it says there last is of a crash, and then it says the same alone.
        process.BeginErrorReadLine();
        return new Session(process, project, patience);
    }

    /// <summary>Runs a harness with a bug; none if its name is empty.</summary>
    public async Task<Attempt> RunAsync(Harness harness, string bug, Symptom symptom, TimeSpan limit)
    {
        var watch = Stopwatch.StartNew();
        List<string> lines = [];
        int? code = null;
        bool isLate = false;
        using var deadline = new CancellationTokenSource(limit);
        try
        {
            await _process.StandardInput.WriteLineAsync($"{bug}\t{harness}".AsMemory(), deadline.Token);
            await _process.StandardInput.FlushAsync(deadline.Token);
            while (code is null && await _process.StandardOutput.ReadLineAsync(deadline.Token) is { } line)
            {
                if (line.StartsWith(TestRunner.EndedLine, StringComparison.Ordinal))
                {
                    code = int.Parse(line[TestRunner.EndedLine.Length..], CultureInfo.InvariantCulture);
                }
                else if (line.Length > 0)
                {
                    lines.Add(line);
                }
            }
        }
        catch (OperationCanceledException)
        {
            isLate = true;
        }
        catch (IOException)
        {
            // It is gone, and has said so by its output.
        }

        HasEnded = code is null;
        _attempts++;
        if (isLate)
        {
            return Attempt.Late(harness, symptom, watch.Elapsed, limit, _patience);
        }

        if (code is null)
        {
            await _process.WaitForExitAsync();
        }

        return Attempt.Ended(harness, symptom, watch.Elapsed, code ?? _process.ExitCode, [.. lines], _patience);
    }

    public async ValueTask DisposeAsync()
    {
        // What it started goes with it; only a process that does as it is told ends by itself.
        _process.Kill(entireProcessTree: true);
        await _process.WaitForExitAsync();
        _process.Dispose();
    }
}
