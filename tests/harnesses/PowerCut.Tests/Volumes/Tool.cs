using System.Diagnostics;

namespace Ambrosia.PowerCut.Tests.Volumes;

/// <summary>A command of the system; its failure is an exception with what it said.</summary>
internal static class Tool
{
    public static string Run(string command, params string[] arguments)
    {
        var start = new ProcessStartInfo(command) { RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (string argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        using Process process = Process.Start(start) ?? throw new InvalidOperationException($"{command} cannot be started.");
        Task<string> error = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0
            ? output
            : throw new InvalidOperationException(
                $"{command} {string.Join(' ', arguments)} ended with code {process.ExitCode}: {error.Result}");
    }
}
