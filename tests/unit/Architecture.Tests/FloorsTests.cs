using Ambrosia.Architecture.Tests.Symbols;

namespace Ambrosia.Architecture.Tests;

/// <summary>Inside a project, folders are floors: each stands on lower ones only, and the project's root is the top.</summary>
public sealed class FloorsTests
{
    [Fact]
    public void No_circle_is_among_the_folders_of_a_project() => new Debt("circles").RequireOnly(
        SourceProject.All.SelectMany(static project => Circles.Among(FolderReference.In(project)))
            .Select(static reference => ($"{reference.From} -> {reference.To}", reference.At)),
        "A folder knows lower folders only. Return what must be set off above, or let the upper one fill a slot.");

    [Theory]
    [InlineData("namespace N; class Low;", "namespace N; class High { Low? _low; }", 0)]
    [InlineData("namespace N; class Low { High? _high; }", "namespace N; class High { Low? _low; }", 2)]
    [InlineData("namespace N; partial class Low { }",
        "namespace N; partial class Low { int _b; void M() => Other.Go(); } static class Other { public static void Go() { } }", 0)]
    [InlineData("namespace N; partial class Low { void M() => Go(); }",
        "namespace N; partial class Low { void Go() { } int a = Help.Two; }", 3)]
    [InlineData("namespace N; enum Low { A } [My] class Use;", "namespace N; class MyAttribute : System.Attribute { Low Kind => Low.A; }",
        4)]
    [InlineData("namespace N; record Low(int High);", "namespace N; class High { void M(Low low) { int High = low.High; } }", 0)]
    public void The_rule_sees_what_it_should(string low, string high, int references)
    {
        SourceProject project = SourceProject.Of(("A/Low/Low.cs", low), ("A/High/High.cs", high),
            ("A/Low/Help.cs", "namespace N; static class Help { public const int Two = 2; }"));
        Assert.Equal(references, Circles.Among(FolderReference.In(project)).Count);
    }
}
