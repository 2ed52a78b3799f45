using System.Text.RegularExpressions;

namespace Ambrosia.LogStore.Tests;

/// <summary>What the log store's source must not contain, because a simulator runs it or because it hides failures.</summary>
public sealed partial class SourceRulesTests
{
    private static readonly string[] Banned =
    [
        "DateTime.Now", "DateTime.UtcNow", "Stopwatch", "new Random", "Random.Shared", "Guid.NewGuid", "Thread.Sleep", "Task.Run",
        "Task.Delay", "new Timer(",
        "ConfigureAwait", ".Result;", "GetAwaiter().GetResult", "FlushToDisk", "Flush(true)", "FileStream", "FileShare", "ReadAllAsync",
        "await foreach", "NotImplementedException", "TO" + "DO",
    ];

    // What runs where the system's own calls are not made has nothing else. No simulator runs it.
    private static readonly string[] ManagedAlone = ["FlushToDisk", "FileStream", "FileShare"];

    private static string Source
    {
        get
        {
            string folder = AppContext.BaseDirectory;
            while (!File.Exists(Path.Combine(folder, "ambrosia.sln")))
            {
                folder = Path.GetDirectoryName(folder) ?? throw new InvalidOperationException("The repository's root was not found.");
            }

            return Path.Combine(folder, "src", "LogStore");
        }
    }

    public static TheoryData<string> Files =>
        [.. Directory.EnumerateFiles(Source, "*.cs", SearchOption.AllDirectories).Select(path => Path.GetRelativePath(Source, path))
        .Where(name => !name.StartsWith("obj", StringComparison.Ordinal) && !name.StartsWith("bin", StringComparison.Ordinal))];

    [Theory]
    [MemberData(nameof(Files))]
    public void Source_keeps_the_rules(string name)
    {
        string[] lines = File.ReadAllLines(Path.Combine(Source, name));
        string code = string.Join('\n', lines.Select(line => Comment().Replace(line, "")));
        bool managed = name.StartsWith(Path.Combine("Files", "Managed") + Path.DirectorySeparatorChar, StringComparison.Ordinal);
        Assert.All(managed ? Banned.Except(ManagedAlone) : Banned, word =>
            Assert.False(code.Contains(word, StringComparison.Ordinal), $"{name} contains {word}"));
        Assert.False(EmptyCatch().IsMatch(code), $"{name} catches without a type");
        Assert.True(lines.Length < 450, $"{name} has {lines.Length} lines");
        Assert.Matches($@"(class|struct|interface|enum|record)\s+{Path.GetFileNameWithoutExtension(name)}\b", code);
        foreach (string type in TopLevelType().Matches(code).Select(match => match.Groups[1].Value))
        {
            Assert.Equal(Path.GetFileNameWithoutExtension(name), type);
        }
    }

    [GeneratedRegex("//.*$")]
    private static partial Regex Comment();

    [GeneratedRegex(@"catch\s*(\(Exception\)\s*)?\{")]
    private static partial Regex EmptyCatch();

    [GeneratedRegex(@"^(?:public|internal)[a-z ]* (?:class|struct|interface|enum|record)\s+(?:struct\s+)?(\w+)", RegexOptions.Multiline)]
    private static partial Regex TopLevelType();
}
