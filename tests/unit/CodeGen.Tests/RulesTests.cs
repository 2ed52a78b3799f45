using System.Reflection;
using System.Runtime.CompilerServices;
using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Tests;

/// <summary>Every rule has a number of its own, a line in the documentation, and a line in the release list.</summary>
public sealed class RulesTests
{
    public static TheoryData<string> Ids => [.. Rules().Select(static r => r.Id).Order(StringComparer.Ordinal)];

    [Fact]
    public void Numbers_are_unique() => Assert.Equal(Rules().Length, Rules().Select(static r => r.Id).Distinct().Count());

    [Theory]
    [MemberData(nameof(Ids))]
    public void A_rule_is_documented_with_its_severity(string id)
    {
        DiagnosticDescriptor rule = Rules().Single(r => r.Id == id);
        string row = Assert.Single(File.ReadLines(PathOf("docs/guide/analyzers.md")), line =>
            line.Contains($"</a>{id} |", StringComparison.Ordinal));
        Assert.StartsWith($"| <a id=\"{rule.HelpLinkUri.Split('#')[1]}\"></a>{id} | {rule.DefaultSeverity.ToString().ToLowerInvariant()} |",
            row, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public void The_help_link_of_a_rule_opens_its_row(string id)
    {
        Uri link = new(Rules().Single(r => r.Id == id).HelpLinkUri);
        Assert.True(link.IsFile, "The tests run on a build with the pages beside it.");
        Assert.Contains($"<a id=\"{link.Fragment[1..]}\"></a>{id} |", File.ReadAllText(link.LocalPath), StringComparison.Ordinal);
    }

    [Fact]
    public void The_documentation_has_no_rule_that_does_not_exist()
    {
        string[] documented = [.. File.ReadLines(PathOf("docs/guide/analyzers.md"))
            .Where(static l => l.StartsWith("| <a id=\"amb", StringComparison.Ordinal)).Select(static l => l.Split("</a>")[1][..6])];
        Assert.Equal(Rules().Select(static r => r.Id).Order(StringComparer.Ordinal), documented.Order(StringComparer.Ordinal));
    }

    private static DiagnosticDescriptor[] Rules() =>
        [.. new[] { typeof(InterfaceRules), typeof(EffectRules), typeof(TypeRules), typeof(HandlerRules), typeof(AwaitRules),
            typeof(StateRules), typeof(ContractRules) }
            .SelectMany(static t => t.GetFields(BindingFlags.Public | BindingFlags.Static))
                .Select(static f => (DiagnosticDescriptor)f.GetValue(null)!)];

    private static string PathOf(string name, [CallerFilePath] string file = "") =>
        Path.Combine(Path.GetDirectoryName(file)!, "..", "..", "..", name);
}
