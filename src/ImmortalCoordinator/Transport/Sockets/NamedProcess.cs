using System.Globalization;
using Microsoft.Win32.SafeHandles;

namespace Ambrosia.ImmortalCoordinator.Transport.Sockets;

/// <summary>A process of this machine, by number and start, so that a later one with the same number is never meant.</summary>
internal static class NamedProcess
{
    private const int KillSignal = 9;
    private const int StateField = 0;
    private const int StartField = 19; // Of /proc/pid/stat, counted behind the program's name.

    /// <summary>Sends SIGKILL to <c>pid 123 started 456789</c>; false when no such process runs, or it may not be ended.</summary>
    public static bool Kill(string name)
    {
        if (name.Split(' ') is not ["pid", var id, "started", var start] || !int.TryParse(id, NumberStyles.None, CultureInfo.InvariantCulture, out int process))
        {
            return false;
        }

        // Opened before its start is looked at: what is killed is what was looked at.
        using var opened = new SafeFileHandle(Posix.OpenProcess(process, 0), ownsHandle: true);
        return !opened.IsInvalid && StartOf(process) == start && Posix.SendSignal(opened, KillSignal, 0, 0) == 0;
    }

    /// <summary>Whether a process is stopped, as SIGSTOP leaves it.</summary>
    public static bool IsStopped(int process) => FieldOf(process, StateField) == "T";

    private static string StartOf(int process) => FieldOf(process, StartField);

    private static string FieldOf(int process, int field)
    {
        try
        {
            string status = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/stat"));
            string[] fields = status[(status.LastIndexOf(')') + 2)..].Split(' ');
            return fields.Length > field ? fields[field] : "";
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return ""; // It has just ended, or this user may not look at processes of others.
        }
    }
}
