using Ambrosia.Coordinator.State;
using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>What the disks of instances keep of messages that were dropped. A message may be skipped only if it is there.</summary>
internal sealed class DroppedLetters(List<SimNode> nodes)
{
    /// <summary>Where a coordinator keeps them.</summary>
    public const string Folder = "/dropped";

    /// <summary>Identities of the messages of one instance to another that are kept.</summary>
    public HashSet<ulong> Of(string from, string to)
    {
        var kept = new HashSet<ulong>();
        SimNode node = nodes.Find(node => node.Name == from)!;
        foreach (string path in node.Disk.Disk.AllFiles())
        {
            if (path.StartsWith($"{Folder}/{to}.", StringComparison.Ordinal))
            {
                foreach (DroppedRun run in DroppedFile.Read(new MemoryStream(node.Disk.Disk.ReadAll(path))))
                {
                    var scanner = new MessageScanner(run.Messages.Span);
                    while (scanner.MoveNext())
                    {
                        kept.Add(MessageIdentity.Of(scanner.Data));
                    }
                }
            }
        }

        return kept;
    }
}
