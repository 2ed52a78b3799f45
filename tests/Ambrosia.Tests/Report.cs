using Xunit.Abstractions;

namespace Ambrosia.Cli.Tests;

/// <summary>What was measured, for the test's output and for test.sh, which shows these lines below the project's counts.</summary>
internal static class Report
{
    private static readonly object s_gate = new();

    public static void Add(ITestOutputHelper output, string line)
    {
        output.WriteLine(line);
        if (Environment.GetEnvironmentVariable("AMBROSIA_REPORTS") is { Length: > 0 } folder)
        {
            lock (s_gate)
            {
                Directory.CreateDirectory(folder);
                File.AppendAllText(Path.Combine(folder, "Ambrosia.txt"), line + "\n");
            }
        }
    }
}
