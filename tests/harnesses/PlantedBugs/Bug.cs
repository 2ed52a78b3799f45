namespace Ambrosia.PlantedBugs;

/// <summary>
/// One bug: its name, what it does in a sentence, the harnesses expected to notice it, the cheapest first, what that looks like, and its
/// places in the source.
/// </summary>
/// <param name="Name">By which it is chosen.</param>
/// <param name="Sentence">What it does.</param>
/// <param name="Harnesses">Who is expected to notice it.</param>
/// <param name="IsDecoy">It breaks the runner and not what the harness tests: the hunt must say that nobody has noticed it.</param>
/// <param name="Symptom">What noticing looks like.</param>
/// <param name="Edits">Its places.</param>
internal sealed record Bug(string Name, string Sentence, IReadOnlyList<string> Harnesses, bool IsDecoy, Symptom Symptom,
    IReadOnlyList<Edit> Edits)
{
    private const string CaughtBy = "caught by ", NotCaughtBy = "not caught by ", SeenAs = "seen as ", EndsBy = "ends by ";

    /// <summary>
    /// Reads all bugs of a folder. A file holds any number of them: a line <c>= name</c>, the sentence, <c>caught by HARNESS,
    /// HARNESS</c> (of a decoy <c>not caught by ...</c>), if needed <c>seen as TEXT</c>, once or more, and <c>ends by crash: WHY</c> or
    /// <c>ends by hang: WHY</c>, then per place
    /// <c>@ file</c> and lines as in a diff: those that begin with <c>-</c> are replaced by those that begin with <c>+</c>, in which BUG is
    /// true when the bug was chosen; lines that begin with a space stay and say where. A line <c># ...</c> is a comment.
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
        if (lines.Length < 5 || !Says(lines[0], "= ") || !(Says(lines[2], CaughtBy) || Says(lines[2], NotCaughtBy)))
        {
            throw new BugFileException(
                $"{file}: a bug needs '= name', a sentence, 'caught by ...' and at least one place; see '{lines[0]}'");
        }

        string name = lines[0][2..].Trim();
        bool isDecoy = Says(lines[2], NotCaughtBy);
        int at = 3;
        List<string> texts = [];
        while (at < lines.Length && Says(lines[at], SeenAs))
        {
            texts.Add(lines[at++][SeenAs.Length..]);
        }

        Outcome ending = at < lines.Length && Says(lines[at], EndsBy)
            ? ReadEnding(name, lines[at++][EndsBy.Length..], texts.Count > 0) : Outcome.Violation;
        var edits = new List<Edit>();
        while (at < lines.Length)
        {
            int end = at + 1;
            while (end < lines.Length && lines[end][0] != '@')
            {
                end++;
            }

            edits.Add(ReadEdit(lines[at..end], file));
            at = end;
        }

        string[] harnesses = lines[2][(isDecoy ? NotCaughtBy : CaughtBy).Length..].Split(", ");
        return new Bug(name, lines[1], harnesses, isDecoy, new Symptom(texts, ending), edits);
    }

    private static bool Says(string line, string what) => line.StartsWith(what, StringComparison.Ordinal);

    private static Outcome ReadEnding(string bug, string said, bool hasText) => said.Split(": ", 2) switch
    {
        ["crash", { Length: > 0 }] when hasText => Outcome.Crash,
        ["hang", { Length: > 0 }] when !hasText => Outcome.Hang,
        _ => throw new BugFileException(
            $"{bug}: it is 'ends by crash: WHY' with a 'seen as TEXT' before it, or 'ends by hang: WHY' without; not '{said}'"),
    };

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

        return before.Count > 0 ? new Edit(lines[0][2..].Trim(), before, after)
            : throw new BugFileException($"{file}: the place in {lines[0][2..]} says nothing of where it is");
    }
}
