namespace Ambrosia.PlantedBugs;

/// <summary>One bug: its name, what it does in a sentence, the harnesses expected to notice it, the cheapest first, and its places in the source.</summary>
internal sealed record Bug(string Name, string Sentence, IReadOnlyList<string> Harnesses, IReadOnlyList<Edit> Edits)
{
    /// <summary>
    /// Reads all bugs of a folder. A file holds any number of them: a line <c>= name</c>, the sentence, <c>caught by HARNESS, HARNESS</c>, then per place
    /// <c>@ file</c> and lines as in a diff: those that begin with <c>-</c> are replaced by those that begin with <c>+</c>, in which BUG is true when the bug
    /// was chosen; lines that begin with a space stay and say where. A line <c># ...</c> is a comment.
    /// </summary>
    public static List<Bug> ReadAll(string folder)
    {
        var bugs = new List<Bug>();
        foreach (string file in Directory.GetFiles(folder, "*.bugs").Order(StringComparer.Ordinal))
        {
            string[] lines = [.. File.ReadAllLines(file).Where(line => line.Length > 0 && line[0] != '#')];
            for (int at = 0; at < lines.Length;)
            {
                int end = Array.FindIndex(lines, at + 1, line => line.StartsWith("= ", StringComparison.Ordinal));
                end = end < 0 ? lines.Length : end;
                bugs.Add(Read(lines.AsSpan(at, end - at), file));
                at = end;
            }
        }

        string[] twice = [.. bugs.GroupBy(bug => bug.Name).Where(group => group.Count() > 1).Select(group => group.Key)];
        return twice.Length == 0 ? bugs : throw new BugFileException($"there are two bugs named {twice[0]}");
    }

    private static Bug Read(ReadOnlySpan<string> lines, string file)
    {
        const string caughtBy = "caught by ";
        if (lines.Length < 5 || !lines[0].StartsWith("= ", StringComparison.Ordinal) || !lines[2].StartsWith(caughtBy, StringComparison.Ordinal))
        {
            throw new BugFileException($"{file}: a bug needs '= name', a sentence, 'caught by ...' and at least one place; see '{lines[0]}'");
        }

        var edits = new List<Edit>();
        for (int at = 3; at < lines.Length;)
        {
            int end = at + 1;
            while (end < lines.Length && lines[end][0] != '@')
            {
                end++;
            }

            edits.Add(ReadEdit(lines[at..end], file));
            at = end;
        }

        return new Bug(lines[0][2..].Trim(), lines[1], lines[2][caughtBy.Length..].Split(", "), edits);
    }

    private static Edit ReadEdit(ReadOnlySpan<string> lines, string file)
    {
        List<string> before = [];
        List<string> after = [];
        foreach (string line in lines[1..])
        {
            if (line[0] is not (' ' or '+' or '-'))
            {
                throw new BugFileException($"{file}: a line of a place begins with a space, + or -: '{line}'");
            }

            if (line[0] != '+')
            {
                before.Add(line[1..]);
            }

            if (line[0] != '-')
            {
                after.Add(line[1..]);
            }
        }

        return before.Count > 0 ? new Edit(lines[0][2..].Trim(), before, after) : throw new BugFileException($"{file}: the place in {lines[0][2..]} says nothing of where it is");
    }
}
