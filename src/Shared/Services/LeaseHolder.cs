using System.Globalization;
using System.Net.Sockets;
using Ambrosia.LogStore;

namespace Ambrosia.Shared.Services;

/// <summary>
/// Names a process so that it cannot be mistaken for another, and tells whether it is known to be dead: whoever starts again after a crash need not wait for the lease of its dead
/// predecessor. Only a process of the same boot can be judged, and only by one that sees its number (the same process namespace) or its sign of life (the same network namespace: another container of its pod).
/// </summary>
/// <param name="Process">Such as <c>pid 123 started 456789</c>.</param>
/// <param name="Machine">The machine's boot, the namespace of its process numbers and, if it gives a sign of life, that of its network; empty when unknown.</param>
internal readonly record struct LeaseHolder(string Process, string Machine)
{
    // Kept for as long as the process lives.
    private static readonly Socket? s_sign;

    static LeaseHolder()
    {
        string process = $"pid {Environment.ProcessId.ToString(CultureInfo.InvariantCulture)} started {StartTicks(Environment.ProcessId) ?? "unknown"}";
        string machine = ThisMachine();
        if (machine.Split(' ') is [_, var numbers] && NamespaceOf("net") is { } network)
        {
            s_sign = LifeSign.TryGive(SignOf(process, numbers));
            machine += s_sign is null ? "" : ' ' + network;
        }

        Current = new LeaseHolder(process, machine);
    }

    /// <summary>This process.</summary>
    public static LeaseHolder Current { get; }

    /// <summary>Whether this is a process of this machine that does not exist any more.</summary>
    public bool IsKnownDead()
    {
        if (Machine.Split(' ') is not [var boot, var numbers, ..] theirs || Current.Machine.Split(' ') is not [var thisBoot, var ourNumbers, ..] ours || boot != thisBoot)
        {
            return false;
        }

        bool wouldSeeSign = theirs is [_, _, var network] && ours is [_, _, var ourNetwork] && network == ourNetwork;
        if (numbers != ourNumbers)
        {
            // Namespaces get the number of an earlier one only when nothing lives in that any more.
            return wouldSeeSign && LifeSign.IsMissing(SignOf(Process, numbers));
        }

        // Also one whose number nobody has may live: /proc can hide the processes of other users (hidepid). Its sign of life it cannot hide.
        return Process.Split(' ') is ["pid", var id, "started", var started]
            && int.TryParse(id, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && started != "unknown" && IsGone(number, started)
            && (!wouldSeeSign || LifeSign.IsMissing(SignOf(Process, numbers)));
    }

    /// <summary>No two processes of a boot share it; the stores, which compile this each for itself, do not either.</summary>
    internal static string SignOf(string process, string numbers) => $"{typeof(LeaseHolder).Assembly.GetName().Name} {process} {numbers}";

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
