using System.Globalization;

namespace Ambrosia.LogStore.Storage.Local;

/// <summary>Names this process so that it cannot be mistaken for a later one with the same number: <c>pid 123 started 456789</c>.</summary>
public static class ProcessIdentity
{
    /// <summary>Text for the lock file. The start is in clock ticks since the machine's boot, as in field 22 of /proc/pid/stat.</summary>
    public static string Current { get; } = string.Create(CultureInfo.InvariantCulture, $"pid {Environment.ProcessId} started {StartTicks()}");

    private static string StartTicks()
    {
        const string self = "/proc/self/stat";
        if (!File.Exists(self))
        {
            return "unknown";
        }

        // The second field is the program's name in brackets and may contain spaces: count from behind it.
        string status = File.ReadAllText(self);
        string[] fields = status[(status.LastIndexOf(')') + 2)..].Split(' ');
        return fields.Length > 19 ? fields[19] : "unknown";
    }
}
