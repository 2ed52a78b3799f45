using System.Text.RegularExpressions;
using Ambrosia.PlantedBugs;

namespace Ambrosia.Architecture.Tests;

/// <summary>Planted bugs fit the source and name tests that exist: what a hunt finds out at its end is known here at once.</summary>
public sealed class PlantedBugsTests : IDisposable
{
    private static readonly List<Bug> s_bugs =
        Bug.ReadAll(Path.GetDirectoryName(Repository.PathOf(Repository.Files("tests", "*.bugs").First()))!);

    private readonly string _folder = Directory.CreateTempSubdirectory("planted").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Every_bug_fits_its_source()
    {
        List<string> misfits = [];
        foreach (string project in Repository.Files("src", "*.csproj").Select(static path => Path.GetDirectoryName(path)!))
        {
            try
            {
                Planter.Plant(s_bugs, Repository.PathOf(project), Path.Combine(_folder, Path.GetFileName(project)));
            }
            catch (BugFileException misfit)
            {
                misfits.Add(misfit.Message);
            }
        }

        Assert.True(misfits.Count == 0, string.Join('\n', misfits));
    }

    [Fact] // The build plants a bug only into a file of a project below src.
    public void Every_place_of_a_bug_is_a_file_of_a_project_and_switched()
    {
        string[] projects = [.. Repository.Files("src", "*.csproj").Select(static path => Path.GetDirectoryName(path) + "/")];
        string[] misplaced = [.. from bug in s_bugs
                                 from edit in bug.Edits
                                 where !projects.Any(project => edit.File.StartsWith(project, StringComparison.Ordinal))
                                 select $"{bug.Name}: {edit.File} lies in no project of src"];
        string[] always = [.. from bug in s_bugs
                              where !bug.Edits.Any(static edit => edit.After.Any(IsSwitch))
                              select $"{bug.Name}: no line of it asks BUG, so it would always be there"];
        Assert.True(misplaced.Length + always.Length == 0, string.Join('\n', misplaced.Concat(always)));
    }

    [Fact]
    public void Every_bug_names_tests_that_are_there()
    {
        string[] sources = [.. Repository.Files("tests", "*.cs")];
        string all = string.Concat(sources.Select(Repository.Text)); // A project compiles tests of others, too.
        ILookup<string, string> texts = Repository.Files("tests", "*.Tests.csproj").ToLookup(
            static path => Path.GetFileName(path)[..^".Tests.csproj".Length],
            path => string.Concat(sources.Where(source => source.StartsWith(Path.GetDirectoryName(path) + "/", StringComparison.Ordinal))
                .Select(Repository.Text)));
        string[] missing = [.. from bug in s_bugs
                               from text in bug.Harnesses
                               let harness = Harness.Parse(text)
                               where !texts[harness.Project].Any(code => Regex.IsMatch(code, $@"\bclass {harness.Class}\b"))
                                   || !Regex.IsMatch(all, $@"\b{harness.Method}\w*\(")
                               select $"{bug.Name}: there is no {text}"];
        Assert.True(missing.Length == 0, string.Join('\n', missing));
    }

    [Theory]
    [InlineData("a();", "its lines stand 2 times")]
    [InlineData("c();", "its lines stand 0 times")]
    public void All_bugs_that_do_not_fit_are_named(string line, string why)
    {
        string project = Directory.CreateDirectory(Path.Combine(_folder, "Project")).FullName;
        File.WriteAllLines(Path.Combine(project, "A.cs"), ["a();", "a();", "b();"]);
        var place = new Edit("src/Project/A.cs", [line], ["if (!BUG) " + line]);
        Bug[] bugs = [Planted("first", place), Planted("gone", place with { File = "src/Project/B.cs" }), Planted("last", place),
            Planted("fits", place with { Before = ["b();"] })];
        BugFileException refused = Assert.Throws<BugFileException>(() => Planter.Plant(bugs, project, Path.Combine(_folder, "Target")));
        string[] names = [.. refused.Message.Split('\n').SkipLast(1).Select(static said => said.Split(' ')[0])];
        Assert.Equal(["first", "gone", "last"], names);
        Assert.Contains(why, refused.Message, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Path.Combine(_folder, "Target")));
    }

    [Fact]
    public void Each_bug_is_in_one_share_and_those_of_a_class_of_tests_are_together()
    {
        List<Bug>[] shares = [.. Enumerable.Range(1, 3).Select(static number => Share.Parse($"{number}/3").Pick(s_bugs))];
        Bug[] always = [.. s_bugs.Where(static bug => bug.IsDecoy || bug.Name == "canary")];
        Assert.All(shares, share => Assert.Equal(always, always.Intersect(share)));
        Assert.Equal(s_bugs.Except(always).Select(static bug => bug.Name).Order(StringComparer.Ordinal),
            shares.SelectMany(share => share.Except(always)).Select(static bug => bug.Name).Order(StringComparer.Ordinal));
        Assert.All(shares, share => Assert.InRange(share.Count - always.Length, s_bugs.Count / 4, s_bugs.Count * 5 / 12));
        Assert.Empty(
            from share in shares
            from bug in share.Except(always)
            let tests = TestsOf(bug)
            where !tests.IsExploring && shares.Count(other => other.Except(always).Any(two => TestsOf(two) == tests)) != 1
            select bug.Name);
    }

    [Theory]
    [InlineData("0/3")]
    [InlineData("4/3")]
    [InlineData("1")]
    [InlineData("a/b")]
    public void What_is_no_share_is_refused(string text) => Assert.Throws<BugFileException>(() => Share.Parse(text));

    private static Harness TestsOf(Bug bug) => Harness.Parse(bug.Harnesses[0]) with { Method = "" };

    private static Bug Planted(string name, Edit place) =>
        new(name, "It does wrong.", ["A B"], IsDecoy: false, new Symptom([], Outcome.Violation), [place]);

    private static bool IsSwitch(string line) => Regex.IsMatch(line, @"\bBUG\b|\bIS\([a-z0-9-]+\)");
}
