using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using Xunit.Abstractions;

namespace Ambrosia.PowerCut.Tests.Running;

/// <summary>This assembly as another process in a mount namespace of its own.</summary>
internal static class Worker
{
    /// <summary>Runs it, passes its lines on, and checks that nothing is left of it.</summary>
    public static async Task RunAsync(string what, ITestOutputHelper output)
    {
        string place = Directory.CreateTempSubdirectory("amb-cut-").FullName;
        string host = Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet" ? path : "dotnet";
        var start = new ProcessStartInfo("unshare") { RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (string argument in (string[])["--mount", "--propagation", "private", host, "exec", typeof(Worker).Assembly.Location, what, place])
        {
            start.ArgumentList.Add(argument);
        }

        using Process process = Process.Start(start) ?? throw new InvalidOperationException("unshare (util-linux) cannot be started.");
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

        Assert.True(process.ExitCode == 0, string.Join('\n', lines.Where(static line => line.StartsWith("VIOLATION", StringComparison.Ordinal)).Take(20).DefaultIfEmpty("the worker ended with code " + process.ExitCode)));
        Assert.DoesNotContain(place, await File.ReadAllTextAsync("/proc/self/mounts"), StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(place));
        Directory.Delete(place);

        void Keep(string? line)
        {
            if (line is not null)
            {
                lock (lines)
                {
                    lines.Add(line);
                    output.WriteLine(line);
                    Report.Add("PowerCut", line);
                }
            }
        }
    }
}
