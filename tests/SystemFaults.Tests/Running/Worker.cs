using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using Xunit.Abstractions;

namespace Ambrosia.SystemFaults.Tests.Running;

/// <summary>This assembly as another process: with the shim in front of its C library, or in a mount namespace of its own.</summary>
internal static class Worker
{
    public static async Task RunAsync(string what, bool preload, bool mounts, ITestOutputHelper output)
    {
        string place = Directory.CreateTempSubdirectory("amb-fault-").FullName;
        string host = Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet" ? path : "dotnet";
        string[] command = [.. mounts ? (string[])["unshare", "--mount", "--propagation", "private"] : [], host, "exec", typeof(Worker).Assembly.Location, what, place];
        var start = new ProcessStartInfo(command[0]) { RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (string argument in command[1..])
        {
            start.ArgumentList.Add(argument);
        }

        if (preload)
        {
            start.Environment["LD_PRELOAD"] = Shim.FaultShim.Path;
        }

        using Process process = Process.Start(start) ?? throw new InvalidOperationException($"{command[0]} cannot be started.");
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
        Directory.Delete(place, recursive: true);

        void Keep(string? line)
        {
            if (line is not null)
            {
                lock (lines)
                {
                    lines.Add(line);
                    output.WriteLine(line);
                    Report.Add("SystemFaults", line);
                }
            }
        }
    }
}
