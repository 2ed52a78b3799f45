using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;

namespace Ambrosia.LogStore.Storage.Local;

/// <summary>Names this process so that it cannot be mistaken for a later one with the same number: <c>pid 123 started 456789</c>.</summary>
public static class ProcessIdentity
{
    /// <summary>
    /// Text for the lock file. The start is in clock ticks since the machine's boot, as in field 22 of /proc/pid/stat; where there is none,
    /// in ticks of the calendar.
    /// </summary>
    public static string Current { get; } =
        string.Create(CultureInfo.InvariantCulture, $"pid {Environment.ProcessId} started {StartTicks()}");

    /// <summary>When a process was started, as the runtime knows it; null when there is none, or this user may not ask.</summary>
    public static string? StartOf(int process)
    {
        try
        {
            using var asked = Process.GetProcessById(process);
            return asked.StartTime.ToUniversalTime().Ticks.ToString(CultureInfo.InvariantCulture);
        }
        catch (Exception error) when (error is ArgumentException or InvalidOperationException or Win32Exception)
        {
            return null;
        }
    }

    private static string StartTicks()
    {
        const string self = "/proc/self/stat";
        if (!File.Exists(self))
        {
            return StartOf(Environment.ProcessId) ?? "unknown";
        }

        // The second field is the program's name in brackets and may contain spaces: count from behind it.
        string status = File.ReadAllText(self);
        string[] fields = status[(status.LastIndexOf(')') + 2)..].Split(' ');
        return fields.Length > 19 ? fields[19] : "unknown";
    }
}
