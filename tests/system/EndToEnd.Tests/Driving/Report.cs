namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>What a harness did, in its own words, for the one who runs test.sh: it shows these lines below the project's counts.</summary>
internal static class Report
{
    private static readonly object s_gate = new();
    private static readonly string? s_folder = Environment.GetEnvironmentVariable("AMBROSIA_REPORTS");

    private static readonly string s_name = Guid.NewGuid().ToString("N"); // Not the process id: some run in namespaces of their own.
    private static int s_kills;

    /// <summary>
    /// Another process of the system under test was ended by SIGKILL, from outside or by itself at a named point. Each process that kills
    /// keeps its total in a file of its own: test.sh adds them up.
    /// </summary>
    public static void CountKill()
    {
        if (string.IsNullOrEmpty(s_folder))
        {
            return;
        }

        lock (s_gate)
        {
            string folder = Path.Combine(s_folder, "kills");
            Directory.CreateDirectory(folder);
            File.WriteAllText(Path.Combine(folder, $"{s_name}.txt"), $"{++s_kills}\n");
        }
    }

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
