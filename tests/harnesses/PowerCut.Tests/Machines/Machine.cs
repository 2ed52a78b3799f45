using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.PowerCut.Tests.Volumes;

namespace Ambrosia.PowerCut.Tests.Machines;

/// <summary>Nodes whose logs lie on one disk, and which lose their power together.</summary>
internal sealed class Machine(Volume volume, IReadOnlyList<NodeUnderTest> nodes, Random random)
{
    public IReadOnlyList<NodeUnderTest> Nodes => nodes;

    public VolumeKind Kind => volume.Kind;

    public void Start()
    {
        volume.Mount();
        foreach (NodeUnderTest node in nodes)
        {
            node.Start();
        }
    }

    /// <summary>Takes power from disk and processes at the same moment.</summary>
    public async Task CutAsync(CutMode mode)
    {
        // First nobody can see or tell anything any more, then the disk stops: a sync that ext4's shutdown interrupts may return success.
        Child[] children = [.. Children()];
        foreach (Child child in children)
        {
            child.Signal(Posix.Stop);
        }

        while (children.Any(static child => !IsStopped(child.Id)))
        {
            Thread.SpinWait(50);
        }

        foreach (string segment in random.Next(2) == 0 ? NewestSegments() : [])
        {
            Volume.WriteSomePages(segment, random);
        }

        volume.Cut(mode);
        foreach (Child child in children)
        {
            await child.KillAsync();
        }
    }

    /// <summary>Power on: journal replay, then the processes.</summary>
    public void Restart()
    {
        volume.Unmount();
        Start();
    }

    public async Task StopAsync()
    {
        foreach (Child child in Children())
        {
            await child.KillAsync();
        }
    }

    private IEnumerable<Child> Children() =>
        nodes.SelectMany(static node => new[] { node.Coordinator, node.App }).OfType<Child>().Where(static child => !child.HasExited);

    private IEnumerable<string> NewestSegments() => nodes
        .Select(node => Path.Combine(volume.Folder, "store", node.Name, "log"))
        .Where(Directory.Exists)
        .Select(static folder => Directory.GetFiles(folder, "*.seg").Max(StringComparer.Ordinal))
        .OfType<string>();

    // Once one thread stands, all are marked, and one that is in a call (D) stands before it sees how the call ended.
    private static bool IsStopped(int process)
    {
        char[] states = [.. Threads(process).Select(State)];
        return states.Length == 0 || (states.Contains('T') && Threads(process).Select(State)
            .All(static state => state is 'T' or 'D' or 'Z' or 'X')) || states.All(static state => state is 'Z' or 'X');
    }

    private static string[] Threads(int process) =>
        Directory.Exists($"/proc/{process}/task") ? Directory.GetDirectories($"/proc/{process}/task") : [];

    // The state stands behind the program's name, which is in brackets.
    private static char State(string thread)
    {
        try
        {
            string text = File.ReadAllText(Path.Combine(thread, "stat"));
            return text[text.LastIndexOf(')') + 2];
        }
        catch (IOException)
        {
            return 'X'; // Gone.
        }
    }
}
