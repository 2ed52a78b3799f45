namespace Ambrosia.PlantedBugs;

/// <summary>Makes copies of a project's sources in which every planted bug can be switched on.</summary>
internal static class Planter
{
    /// <summary>
    /// Writes the copies of this project, and the switch itself, into a folder. Files that are right already are left alone, so that
    /// nothing is compiled twice. Fails with the names of all bugs that fit no more; then nothing is written.
    /// </summary>
    public static void Plant(IReadOnlyList<Bug> bugs, string project, string target)
    {
        project = project.TrimEnd('/');
        string name = "src/" + Path.GetFileName(project);
        using var hook = new StreamReader(typeof(Planter).Assembly.GetManifestResourceStream("PlantedBug.cs")!);
        Dictionary<string, List<string>> sources = Edited(bugs, project, name);
        Write(Path.Combine(target, "PlantedBug.cs"), hook.ReadToEnd());
        foreach ((string file, List<string> lines) in sources)
        {
            Write(Path.Combine(target, file), string.Join('\n', lines) + "\n");
        }

        foreach (string left in Directory.CreateDirectory(target).GetFiles("*.cs", SearchOption.AllDirectories)
            .Select(static file => file.FullName)
            .Where(left => Path.GetRelativePath(target, left) is var file && file != "PlantedBug.cs" && !sources.ContainsKey(file)))
        {
            File.Delete(left);
        }
    }

    private static Dictionary<string, List<string>> Edited(IReadOnlyList<Bug> bugs, string project, string name)
    {
        var sources = new Dictionary<string, List<string>>();
        List<string> misfits = [];
        foreach (Bug bug in bugs)
        {
            foreach (Edit edit in bug.Edits.Where(edit => edit.File.StartsWith(name + "/", StringComparison.Ordinal)))
            {
                string file = edit.File[(name.Length + 1)..];
                string path = Path.Combine(project, file);
                try
                {
                    sources[file] = File.Exists(path)
                        ? edit.Apply(sources.GetValueOrDefault(file) ?? [.. File.ReadAllLines(path)], bug.Name)
                        : throw new BugFileException($"{bug.Name} does not fit any more: there is no {edit.File}.");
                }
                catch (BugFileException misfit)
                {
                    misfits.Add(misfit.Message);
                }
            }
        }

        return misfits.Count == 0 ? sources
            : throw new BugFileException($"{string.Join('\n', misfits)}\nAdapt them in tests/harnesses/PlantedBugs/Bugs.");
    }

    private static void Write(string path, string text)
    {
        if (!File.Exists(path) || File.ReadAllText(path) != text)
        {
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            File.WriteAllText(path, text);
        }
    }
}
