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

    [Fact]
    public void Scripts_of_tests_let_built_sh_build_what_lies_in_the_repository()
    {
        string[] own = ["tests/support/run/built.sh", "tests/support/run/steps.sh", "tests/harnesses/PlantedBugs/build.sh"];
        string[] scripts = [.. Repository.Files("tests").Where(static file => file.EndsWith(".sh", StringComparison.Ordinal))];
        Assert.Empty(own.Where(static script => !BuildsInPlace(Repository.Text(script)))
            .Select(static script => $"{script} does not need its exception"));

        Assert.Empty(scripts.Except(own).Where(static script => BuildsInPlace(Repository.Text(script)))
            .Select(static script => $"{script} builds in a folder out of which other tests start programs"));
    }

    [Theory]
    [InlineData("dotnet build \"$here/../x\" -c Release", true)]
    [InlineData("[ -x $x ] || dotnet publish $root/src/X", true)]
    [InlineData("dotnet pack \"$project\"", true)]
    [InlineData("dotnet run --project $root/x --no-build", false)]
    [InlineData("dotnet publish \"$work/copy/$1\"", false)]
    [InlineData("dotnet build shop", false)]
    public void A_build_in_place_is_seen(string text, bool seen) => Assert.Equal(seen, BuildsInPlace(text));

    // The project is a path that a script makes of its own folder, or one of a list.
    // What it has copied lies in its $work, or in the current folder.
    private static bool BuildsInPlace(string text) =>
        Build().Matches(text).Any(static line => !line.Value.Contains("--no-build", StringComparison.Ordinal));

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

    [GeneratedRegex("""
        (?m)\bdotnet (build|publish|pack|run)( --project)? "?(\$\{?(?!work\b)[a-z]|\S+\.csproj).*$
        """)]
    private static partial Regex Build();

    [GeneratedRegex("""\$(?<name>\w+)(?<path>(?:/[A-Za-z0-9_.-]+)+)(?<next>.)?""")]
    private static partial Regex Use();
}
