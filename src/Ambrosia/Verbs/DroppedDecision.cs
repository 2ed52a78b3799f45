using Ambrosia.ImmortalCoordinator.State;

namespace Ambrosia.Cli.Verbs;

/// <summary>What one decision to drop outputs has kept.</summary>
internal sealed record DroppedDecision(
    string To, string Epoch, ulong First, ulong Last, long Messages, long Calls, long Impulses, string File)
{
    /// <summary>Reads it from the bytes of its file, whose name says to whom and in which epoch.</summary>
    public static DroppedDecision Of(string path, ReadOnlyMemory<byte> bytes)
    {
        string[] parts = Path.GetFileName(path).Split('.');
        var counts = default(DroppedCounts);
        (ulong first, ulong last) = (0, 0);
        foreach (DroppedRun run in DroppedFile.Read(bytes))
        {
            counts = counts.With(run.Messages.Span, run.Count, run.Impulses);
            if (!run.Impulses)
            {
                first = first == 0 ? run.Number : first;
                last = run.Number + (ulong)run.Count - 1;
            }
        }

        // The name of an instance may have dots of its own.
        return new DroppedDecision(
            string.Join('.', parts[..^3]), parts[^3], first, last, counts.Messages, counts.Calls, counts.Impulses, path);
    }
}
