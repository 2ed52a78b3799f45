namespace Ambrosia.PlantedBugs;

/// <summary>Tests that may notice a bug: those of a class, or the methods of it whose names begin so.</summary>
internal sealed record Harness(string Project, string Class, string Method)
{
    public static Harness Parse(string text) => text.Split(' ') is [var project, var test] && test.Split('.') is { Length: 1 or 2 } parts
        ? new Harness(project, parts[0], parts.Length == 2 ? parts[1] : "")
        : throw new BugFileException($"'{text}' is no harness: PROJECT CLASS or PROJECT CLASS.METHOD");

    /// <summary>Whether it goes through many seeds or schedules.</summary>
    public bool IsExploring => Project is "Simulation" or "Interleavings";

    /// <summary>Its assembly in a build with planted bugs.</summary>
    public string AssemblyIn(string repository) => Path.Combine(
        Directory.GetDirectories(Path.Combine(repository, "tests")).Select(folder => Path.Combine(folder, Project + ".Tests"))
            .FirstOrDefault(Directory.Exists) ?? Project + ".Tests", "bin/planted/Release/net8.0", Project + ".Tests.dll");

    public override string ToString() => $"{Project} {Class}{(Method.Length > 0 ? "." : "")}{Method}";
}
