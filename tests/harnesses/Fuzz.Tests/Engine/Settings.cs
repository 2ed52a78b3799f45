using System.Globalization;

namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>How much is done: little by default, the full counts in CI (<c>AMBROSIA_FULL=1</c>), more in a soak
/// (<c>AMBROSIA_SOAK=1</c>).</summary>
internal static class Settings
{
    private static readonly object s_gate = new();

    private static bool Full => Is("AMBROSIA_FULL");

    private static bool Soak => Is("AMBROSIA_SOAK");

    /// <summary>Seed of all choices; fixed unless it is given or this is a soak.</summary>
    public static ulong Seed { get; } = Number("AMBROSIA_FUZZ_SEED", Soak ? (long)(DateTime.UtcNow.Ticks & 0x7FFF_FFFF) : 20260101);

    /// <summary>A number by kind of run; the variable has the last word.</summary>
    public static int Count(string variable, long few, long full, long soak) => (int)Number(variable, Soak ? soak : Full ? full : few);

    /// <summary>Whether new outcomes are written into the corpus.</summary>
    public static bool Recording => Is("AMBROSIA_FUZZ_RECORD");

    /// <summary>Shows a report: its first line below the counts of test.sh, all of it in a file beside that.</summary>
    public static void Report(string name, string text)
    {
        Console.WriteLine(text);
        if (Environment.GetEnvironmentVariable("AMBROSIA_REPORTS") is { Length: > 0 } folder)
        {
            Directory.CreateDirectory(folder);
            File.WriteAllText(Path.Combine(folder, $"Fuzz-{name}.txt"), text);
            lock (s_gate)
            {
                File.AppendAllText(Path.Combine(folder, "Fuzz.txt"), text.Split('\n')[0] + "\n");
            }
        }
    }

    private static bool Is(string variable) => Environment.GetEnvironmentVariable(variable) == "1";

    private static ulong Number(string variable, long otherwise) =>
        Environment.GetEnvironmentVariable(variable) is { Length: > 0 } text ? ulong.Parse(text, CultureInfo.InvariantCulture)
        : (ulong)otherwise;
}
