namespace Ambrosia.Architecture.Tests.Symbols;

/// <summary>Finds what stands on itself.</summary>
internal static class Circles
{
    /// <summary>Those references that are part of a circle of folders: from where they lead there is a way back.</summary>
    public static IReadOnlyList<FolderReference> Among(IReadOnlyCollection<FolderReference> references)
    {
        ILookup<string, string> next = references.Select(static reference => (reference.From, reference.To)).Distinct()
            .ToLookup(static edge => edge.From, static edge => edge.To);
        Dictionary<string, HashSet<string>> reached = next.ToDictionary(static folder => folder.Key, folder => Reached(folder.Key, next));
        return [.. references.Where(reference =>
            reached.TryGetValue(reference.To, out HashSet<string>? back) && back.Contains(reference.From))];
    }

    private static HashSet<string> Reached(string start, ILookup<string, string> next)
    {
        HashSet<string> reached = [];
        Stack<string> open = new([start]);
        while (open.TryPop(out string? folder))
        {
            foreach (string other in next[folder].Where(reached.Add))
            {
                open.Push(other);
            }
        }

        return reached;
    }
}
