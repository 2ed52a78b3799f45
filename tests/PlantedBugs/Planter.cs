namespace Ambrosia.PlantedBugs;

/// <summary>Makes copies of a project's sources in which every planted bug can be switched on.</summary>
internal static class Planter
{
    private const string Shared = "Shared";

    /// <summary>Writes the copies of this project, and the switch itself, into a folder, and beside it those of what it compiles of src/Shared.</summary>
    public static void Plant(IReadOnlyList<Bug> bugs, string project, string target)
    {
        project = project.TrimEnd('/');
        Plant(bugs, Path.GetFileName(project), project, target, static _ => true);
        using var hook = new StreamReader(typeof(Planter).Assembly.GetManifestResourceStream("PlantedBug.cs")!);
        Write(Path.Combine(target, "PlantedBug.cs"), hook.ReadToEnd());
        string compiled = string.Concat(Directory.GetFiles(project, "*.csproj").Select(File.ReadAllText));
        Plant(bugs, Shared, Path.Combine(Path.GetDirectoryName(project)!, Shared), target.TrimEnd('/') + "-shared", file => compiled.Contains($"../{Shared}/{Path.GetDirectoryName(file)}/", StringComparison.Ordinal));
    }

    /// <summary>Files that are right already are left alone, so that nothing is compiled twice.</summary>
    private static void Plant(IReadOnlyList<Bug> bugs, string folder, string project, string target, Func<string, bool> isCompiled)
    {
        string name = "src/" + folder;
        var sources = new Dictionary<string, List<string>>();
        foreach (Bug bug in bugs)
        {
            foreach (Edit edit in bug.Edits.Where(edit => edit.File.StartsWith(name + "/", StringComparison.Ordinal) && isCompiled(edit.File[(name.Length + 1)..])))
            {
                string file = edit.File[(name.Length + 1)..];
                string path = Path.Combine(project, file);
                if (!File.Exists(path))
                {
                    throw new BugFileException($"{bug.Name} does not fit any more: there is no {edit.File}. Adapt it in tests/PlantedBugs/Bugs.");
                }

                sources[file] = edit.Apply(sources.GetValueOrDefault(file) ?? [.. File.ReadAllLines(path)], bug.Name);
            }
        }

        foreach ((string file, List<string> lines) in sources)
        {
            Write(Path.Combine(target, file), string.Join('\n', lines) + "\n");
        }

        foreach (string left in Directory.CreateDirectory(target).GetFiles("*.cs", SearchOption.AllDirectories).Select(static file => file.FullName).Where(left => Path.GetRelativePath(target, left) is var file && file != "PlantedBug.cs" && !sources.ContainsKey(file)))
        {
            File.Delete(left);
        }
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
