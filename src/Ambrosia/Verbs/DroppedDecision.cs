using System.Globalization;
using Ambrosia.Coordinator.State;

namespace Ambrosia.Cli.Verbs;

/// <summary>
/// What one decision to drop outputs has kept. Not <paramref name="IsWhole"/>: the file was damaged, and what is counted lies before that.
/// </summary>
internal sealed record DroppedDecision(
    string To, string Epoch, ulong First, ulong Last, long Messages, long Calls, long Impulses, string File, bool IsWhole)
{
    /// <summary>Reads it from its file, whose name says to whom and in which epoch; null if that is the name of something else.</summary>
    public static DroppedDecision? Read(string path)
    {
        string[] parts = Path.GetFileName(path).Split('.');
        if (parts.Length < 4 || !ulong.TryParse(parts[^3], NumberStyles.None, CultureInfo.InvariantCulture, out _))
        {
            return null;
        }

        using FileStream file = System.IO.File.OpenRead(path);
        var counts = default(DroppedCounts);
        (ulong first, ulong last) = (0, 0);
        long whole = 0;
        foreach (DroppedRun run in DroppedFile.Read(file))
        {
            counts = counts.With(run.Messages.Span, run.Count, run.Impulses);
            whole += DroppedFile.RunHeader + run.Messages.Length;
            if (!run.Impulses)
            {
                first = first == 0 ? run.Number : first;
                last = run.Number + (ulong)run.Count - 1;
            }
        }

        // The name of an instance may have dots of its own.
        return new DroppedDecision(
            string.Join('.', parts[..^3]), parts[^3], first, last, counts.Messages, counts.Calls, counts.Impulses, path,
            whole == file.Length);
    }
}
