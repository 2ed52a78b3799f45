using System.Globalization;
using Ambrosia.LogStore;

namespace Ambrosia.Shared.Services;

/// <summary>
/// Names a process so that it cannot be mistaken for another, and tells whether it is known to be dead. Only a process of the same boot and the same process
/// namespace can be judged; there, whoever starts again after a crash need not wait for the lease of its dead predecessor.
/// </summary>
/// <param name="Process">Such as <c>pid 123 started 456789</c>.</param>
/// <param name="Machine">The machine's boot and the namespace of its process numbers; empty when unknown.</param>
internal readonly record struct LeaseHolder(string Process, string Machine)
{
    /// <summary>This process.</summary>
    public static LeaseHolder Current { get; } = new($"pid {Environment.ProcessId.ToString(CultureInfo.InvariantCulture)} started {StartTicks(Environment.ProcessId) ?? "unknown"}", ThisMachine());

    /// <summary>Whether this is a process of this machine that does not exist any more.</summary>
    public bool IsKnownDead()
    {
        if (Machine.Length == 0 || Machine != Current.Machine || Process.Split(' ') is not ["pid", var id, "started", var started])
        {
            return false;
        }

        return int.TryParse(id, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && started != "unknown" && StartTicks(number) != started;
    }

    private static string ThisMachine()
    {
        const string boot = "/proc/sys/kernel/random/boot_id";
        return File.Exists(boot) && new FileInfo("/proc/self/ns/pid").LinkTarget is { } space ? $"{File.ReadAllText(boot).Trim()} {space}" : "";
    }

    // Field 22 of /proc/pid/stat; null when there is no such process, or it is dead and only not yet waited for.
    private static string? StartTicks(int process)
    {
        try
        {
            string status = File.ReadAllText($"/proc/{process.ToString(CultureInfo.InvariantCulture)}/stat");
            string[] fields = status[(status.LastIndexOf(')') + 2)..].Split(' ');
            return fields.Length > 19 && fields[0] is not ("Z" or "X") ? fields[19] : null;
        }
        catch (IOException)
        {
            return null;
        }
    }
}
