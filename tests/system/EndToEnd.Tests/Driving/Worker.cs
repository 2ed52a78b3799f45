using System.Diagnostics;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>This test assembly as another process, with an environment or a mount namespace of its own.</summary>
internal static class Worker
{
    /// <summary>Runs it in a folder of its own, passes its lines on to the test and to the report of the area, and checks how it
    /// ended.</summary>
    /// <param name="area">Whose report.</param>
    /// <param name="what">Its argument; the folder is the next one.</param>
    /// <param name="mounts">Whether what it mounts stays its own.</param>
    /// <param name="output">Of the test.</param>
    /// <param name="preload">Library that stands before its C library, if any.</param>
    public static async Task RunAsync(string area, string what, bool mounts, ITestOutputHelper output, string? preload = null)
    {
        string place = Directory.CreateTempSubdirectory("amb-worker-").FullName;
        using Process process = Start(what, place, mounts, preload);
        var lines = new List<string>();
        process.OutputDataReceived += (_, line) => Keep(line.Data);
        process.ErrorDataReceived += (_, line) => Keep(line.Data);
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        try
        {
            await process.WaitForExitAsync();
        }
        finally
        {
            process.Kill();
        }

        Assert.True(process.ExitCode == 0, string.Join('\n', lines.Where(static line => line.StartsWith("VIOLATION",
            StringComparison.Ordinal)).Take(20).DefaultIfEmpty("the worker ended with code " + process.ExitCode)));
        if (mounts)
        {
            Assert.DoesNotContain(place, await File.ReadAllTextAsync("/proc/self/mounts"), StringComparison.Ordinal);
            Assert.Empty(Directory.GetFileSystemEntries(place));
        }

        Directory.Delete(place, recursive: true);

        void Keep(string? line)
        {
            if (line is not null)
            {
                lock (lines)
                {
                    lines.Add(line);
                    output.WriteLine(line);
                    Report.Add(area, line);
                }
            }
        }
    }

    private static Process Start(string what, string place, bool mounts, string? preload)
    {
        string host = Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet" ? path : "dotnet";
        string[] command = [.. mounts ? (string[])["unshare", "--mount", "--propagation", "private"]
            : [], host, "exec", typeof(Worker).Assembly.Location, what, place];
        var start = new ProcessStartInfo(command[0], command[1..])
            { RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true };
        if (preload is not null)
        {
            start.Environment["LD_PRELOAD"] = preload;
        }

        return Process.Start(start) ?? throw new InvalidOperationException($"{command[0]} cannot be started.");
    }
}
