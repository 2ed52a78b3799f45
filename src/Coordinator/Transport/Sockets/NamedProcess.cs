using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using Microsoft.Win32.SafeHandles;

namespace Ambrosia.Coordinator.Transport.Sockets;

/// <summary>A process of this machine, by number and start, so that a later one with the same number is never meant.</summary>
public static class NamedProcess
{
    private const string CoordinatorsName = "Ambrosia.Immort"; // As the kernel cuts it.
    private const int KillSignal = 9;
    private const int StateField = 0;
    private const int ParentField = 1;
    private const int StartField = 19; // Of /proc/pid/stat, counted behind the program's name.

    /// <summary>This process.</summary>
    public static string Current => LogStore.Storage.Local.ProcessIdentity.Current;

    /// <summary>
    /// The machine's boot and the namespace of its process numbers, in which a name means something; empty where that is not known.
    /// </summary>
    public static string Machine { get; } = MachineOf();

    /// <summary>Whether a process of this machine that names itself like this exists.</summary>
    public static bool IsRunning(string name) => name.Split(' ') is ["pid", var id, "started", var start]
        && int.TryParse(id, NumberStyles.None, CultureInfo.InvariantCulture, out int process) && start.Length > 0
        && StartOf(process) == start
        && (!OperatingSystem.IsLinux() || FieldOf(process, StateField) is not ("Z" or "X"));

    /// <summary>Sends SIGKILL to <c>pid 123 started 456789</c>; false when no such process runs, or it may not be ended.</summary>
    public static bool Kill(string name)
    {
        if (name.Split(' ') is not ["pid", var id, "started", var start]
            || !int.TryParse(id, NumberStyles.None, CultureInfo.InvariantCulture, out int process))
        {
            return false;
        }

        if (!Platform.UsesLinuxCalls)
        {
            return KillManaged(process, start);
        }

        // Opened before its start is looked at: what is killed is what was looked at.
        using var opened = new SafeFileHandle(Posix.OpenProcess(process, 0), ownsHandle: true);
        return !opened.IsInvalid && StartOf(process) == start && Posix.SendSignal(opened, KillSignal, 0, 0) == 0;
    }

    /// <summary>
    /// <c>pid 123 started 456789</c> for people: its number, and its parent if it is a coordinator, which is rarely started by hand.
    /// </summary>
    public static string Describe(string name)
    {
        if (name.Split(' ') is not ["pid", var id, ..] || !int.TryParse(id, NumberStyles.None, CultureInfo.InvariantCulture,
            out int process))
        {
            return name;
        }

        bool owned = int.TryParse(FieldOf(process, ParentField), NumberStyles.None, CultureInfo.InvariantCulture, out int owner)
            && owner > 1;
        return owned && ProgramOf(process) == CoordinatorsName
            ? string.Create(CultureInfo.InvariantCulture, $"process {process}, started by process {owner} ({ProgramOf(owner)})")
            : string.Create(CultureInfo.InvariantCulture, $"process {process}");
    }

    /// <summary>Whether a process is stopped, as SIGSTOP leaves it.</summary>
    public static bool IsStopped(int process) => FieldOf(process, StateField) == "T";

    private static string MachineOf()
    {
        const string boot = "/proc/sys/kernel/random/boot_id";
        return File.Exists(boot) && new FileInfo("/proc/self/ns/pid").LinkTarget is { } numbers
            ? $"{File.ReadAllText(boot).Trim()} {numbers}" : "";
    }

    private static string StartOf(int process) =>
        OperatingSystem.IsLinux() ? FieldOf(process, StartField) : LogStore.Storage.Local.ProcessIdentity.StartOf(process) ?? "";

    // Between looking and ending the number could become another process's; there is nothing to hold one by here.
    private static bool KillManaged(int id, string start)
    {
        try
        {
            using var process = Process.GetProcessById(id);
            if (start.Length == 0 || StartOf(id) != start)
            {
                return false;
            }

            process.Kill();
            return true;
        }
        catch (Exception error) when (error is ArgumentException or InvalidOperationException or Win32Exception)
        {
            return false; // It has ended, or may not be ended.
        }
    }

    private static string ProgramOf(int process)
    {
        try
        {
            return File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/comm")).TrimEnd('\n');
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return "?";
        }
    }

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
