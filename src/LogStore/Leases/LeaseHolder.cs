using System.Globalization;
using System.Net.Sockets;

namespace Ambrosia.LogStore.Leases;

/// <summary>
/// Names a process so that it cannot be mistaken for another, and tells whether it is known to be dead: a process that starts again after
/// a crash need not wait for the lease of its dead predecessor. Only a process of the same boot can be judged, and only by one that sees
/// its number (the same process namespace) or its sign of life (the same network namespace: another container of its pod).
/// </summary>
/// <param name="Process">Such as <c>pid 123 started 456789</c>.</param>
/// <param name="Machine">The machine's boot, the namespace of its process numbers and, if it gives a sign of life, that of its network;
/// empty when unknown.</param>
public readonly record struct LeaseHolder(string Process, string Machine)
{
    // Kept for as long as the process lives.
    private static readonly Socket?[] s_signs = [];

    static LeaseHolder()
    {
        string process = $"pid {Environment.ProcessId.ToString(CultureInfo.InvariantCulture)} started "
            + $"{StartTicks(Environment.ProcessId) ?? "unknown"}";
        string machine = ThisMachine();
        if (machine.Split(' ') is [_, var numbers] && NamespaceOf("net") is { } network)
        {
            s_signs = [.. SignsOf(process, numbers).Select(LifeSign.TryGive)];
            machine += s_signs.Contains(null) ? "" : ' ' + network;
        }

        Current = new LeaseHolder(process, machine);
    }

    /// <summary>This process.</summary>
    public static LeaseHolder Current { get; }

    /// <summary>Whether this is a process of this machine that does not exist any more.</summary>
    public bool IsKnownDead()
    {
        if (Machine.Split(' ') is not [var boot, var numbers, ..] theirs
            || Current.Machine.Split(' ') is not [var thisBoot, var ourNumbers, ..] ours || boot != thisBoot)
        {
            return false;
        }

        bool wouldSeeSign = theirs is [_, _, var network] && ours is [_, _, var ourNetwork] && network == ourNetwork;
        if (numbers != ourNumbers)
        {
            // Namespaces get the number of an earlier one only when nothing lives in that any more.
            return wouldSeeSign && IsSignMissing(Process, numbers);
        }

        // Also one whose number nobody has may live: /proc can hide the processes of other users (hidepid). Its sign of life it cannot
        // hide.
        return Process.Split(' ') is ["pid", var id, "started", var started]
            && int.TryParse(id, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && started != "unknown"
            && IsGone(number, started)
            && (!wouldSeeSign || IsSignMissing(Process, numbers));
    }

    /// <summary>
    /// No two processes of a boot share them. Coordinators of version 0.1 give one sign for each of their stores, and look for the one of
    /// their own store. So a process gives both, and counts as alive while either is there.
    /// </summary>
    internal static IEnumerable<string> SignsOf(string process, string numbers) =>
        [$"Ambrosia.LogStore.Azure {process} {numbers}", $"Ambrosia.LogStore.Postgres {process} {numbers}"];

    private static bool IsSignMissing(string process, string numbers) => SignsOf(process, numbers).All(LifeSign.IsMissing);

    private static string ThisMachine()
    {
        const string boot = "/proc/sys/kernel/random/boot_id";
        return File.Exists(boot) && NamespaceOf("pid") is { } numbers ? $"{File.ReadAllText(boot).Trim()} {numbers}" : "";
    }

    private static string? NamespaceOf(string kind) => new FileInfo($"/proc/self/ns/{kind}").LinkTarget;

    private static bool IsGone(int process, string started)
    {
        try
        {
            return StartTicks(process) != started;
        }
        catch (UnauthorizedAccessException)
        {
            return false; // There is one, and whether it is this one is hidden from us.
        }
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
