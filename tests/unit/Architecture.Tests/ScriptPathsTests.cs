using System.Text.RegularExpressions;

namespace Ambrosia.Architecture.Tests;

/// <summary>What scripts name by their own folder is there: a folder that moved shows here, not an hour later in a full run.</summary>
public sealed partial class ScriptPathsTests
{
    [Fact]
    public void Every_path_that_a_script_names_by_its_own_folder_is_there()
    {
        (string Script, string Path)[] paths = [.. Repository.Files("").Where(static file => file.EndsWith(".sh", StringComparison.Ordinal))
            .SelectMany(static script => PathsOf(script, Repository.Text(script)).Select(path => (script, path)))];
        Assert.Contains(("tests/unit/CodeGen.Tests/run-with-sdk.sh", "src/CodeGen.Tool"), paths); // Else the pattern finds nothing.

        Assert.Empty(paths.Where(static found => !Path.Exists(Repository.PathOf(found.Path)))
            .Select(static found => $"{found.Script} names {found.Path}"));
    }

    [Theory]
    [InlineData("here=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\ncat $here/../x/y.txt", "a/x/y.txt")]
    [InlineData("here=\"$(cd \"$(dirname \"$0\")/../..\" && pwd)\"\ncat \"$here/x\"", "x")]
    [InlineData("here=$(cd \"$(dirname \"$0\")\" && pwd)\nroot=$(cd \"$here/..\" && pwd)\ndotnet $root/x/bin/Release/x.dll", "a/x")]
    [InlineData("here=$(cd \"$(dirname \"$0\")\" && pwd)\ncat $here/$name/x $here/*.txt $here/made-$name")]
    [InlineData("work=$(mktemp -d)\ncat $work/x")]
    public void Paths_are_read_as_the_shell_reads_them(string text, params string[] paths) =>
        Assert.Equal(paths, PathsOf("a/b/run.sh", text).Where(static path => path is not ("a" or "a/b")));

    // What builds and runs make is left out, and what a variable goes on.
    private static IEnumerable<string> PathsOf(string script, string text)
    {
        var folders = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (Match match in Definition().Matches(text))
        {
            string? from = match.Groups["folder"] is { Success: true } folder
                ? folders.GetValueOrDefault(folder.Value)
                : Path.GetDirectoryName(script);
            if (from is not null)
            {
                folders[match.Groups["name"].Value] = Joined(from, match.Groups["up"].Value);
            }
        }

        return Use().Matches(text).Where(match => folders.ContainsKey(match.Groups["name"].Value)
            && match.Groups["next"].Value is not ("*" or "$" or "{")).Select(match => Joined(folders[match.Groups["name"].Value],
            string.Join('/', match.Groups["path"].Value.TrimEnd('.').Split('/').TakeWhile(static part => !IsMade(part))))).Distinct();
    }

    private static bool IsMade(string part) => part is "bin" or "obj" or "artifacts" or "node_modules";

    private static string Joined(string folder, string path) =>
        Path.GetRelativePath(Repository.Root, Path.GetFullPath(Path.Combine(Repository.Root, folder, path.TrimStart('/'))))
            .Replace('\\', '/');

    [GeneratedRegex("""
        (?m)^(?<name>\w+)="?\$\(cd "(?:\$\(dirname "\$(?:\{BASH_SOURCE\[0\]\}|0)"\)|\$(?<folder>\w+))(?<up>[^"]*)" && pwd\)
        """)]
    private static partial Regex Definition();

    [GeneratedRegex("""\$(?<name>\w+)(?<path>(?:/[A-Za-z0-9_.-]+)+)(?<next>.)?""")]
    private static partial Regex Use();
}
