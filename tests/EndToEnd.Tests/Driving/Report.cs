namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>What a harness did, in its own words, for the one who runs test.sh: it shows these lines below the project's counts.</summary>
internal static class Report
{
    private static readonly object s_gate = new();
    private static readonly string? s_folder = Environment.GetEnvironmentVariable("AMBROSIA_REPORTS");

    /// <summary>Adds a line to the report of a test project; nothing happens without a place for reports.</summary>
    public static void Add(string area, string line)
    {
        if (string.IsNullOrEmpty(s_folder))
        {
            return;
        }

        lock (s_gate)
        {
            Directory.CreateDirectory(s_folder);
            File.AppendAllText(Path.Combine(s_folder, area + ".txt"), line + "\n");
        }
    }
}
