using Xunit.Abstractions;

namespace Ambrosia;

/// <summary>What was done, for the test's output and for test.sh, which shows these lines below the project's counts.</summary>
internal static class Report
{
    private static readonly object s_gate = new();

    // Named like the area: the project without its ending.
    private static readonly string s_name = typeof(Report).Assembly.GetName().Name!.Replace(".Tests", "", StringComparison.Ordinal)
        + ".txt";

    public static void Add(ITestOutputHelper output, string line)
    {
        output.WriteLine(line);
        if (Environment.GetEnvironmentVariable("AMBROSIA_REPORTS") is { Length: > 0 } folder)
        {
            lock (s_gate)
            {
                Directory.CreateDirectory(folder);
                File.AppendAllText(Path.Combine(folder, s_name), line + "\n");
            }
        }
    }
}
