using Ambrosia.Architecture.Tests.Symbols;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.Architecture.Tests;

/// <summary>A newcomer should see the design in the file names: one type, one file, the same name.</summary>
public sealed class FileNamesTests
{
    private const int MostLines = 450;

    [Fact]
    public void A_file_holds_one_type_and_is_named_after_it()
    {
        string[] wrong = [.. SourceFile.Sources.SelectMany(Complaints)];
        Assert.NotEmpty(SourceFile.Sources);
        Assert.True(wrong.Length == 0, string.Join("\n", wrong));
    }

    [Fact]
    public void A_file_that_grows_long_is_split_by_the_state_it_owns()
    {
        string[] wrong = [.. Repository.Files("src", "*.cs")
            .Select(static path => (Path: path, Lines: File.ReadLines(Repository.PathOf(path)).Count()))
            .Where(static file => file.Lines > MostLines)
            .Select(static file => $"{file.Path} has {file.Lines} lines; {MostLines} are the limit.")];
        Assert.True(wrong.Length == 0, string.Join("\n", wrong));
    }

    [Fact] // Else a reader finds one and takes it for the other. Each program has its Program.
    public void A_name_is_one_type_in_all_that_ships() => new Debt("type-names").RequireOnly(
        SourceFile.Sources
            .SelectMany(static file => TopLevelTypes(file.Tree).Select(name => (Name: name, Project: file.Path.Split('/')[1], file.Path)))
            .Where(static type => type.Name is not ("Program" or "IsExternalInit")) // The latter is the compiler's.
            .GroupBy(static type => type.Name)
            .Where(static types => types.Select(static type => type.Project).Distinct().Count() > 1)
            .Select(static types => (types.Key, string.Join(", ", types.Select(static type => type.Path)))),
        "Name the one of the higher project for what it is there.");

    [Theory]
    [InlineData("src/A/Lsn.cs", "class Lsn;", 0)]
    [InlineData("src/A/Cell{T}.cs", "class Cell<T>;", 0)]
    [InlineData("src/A/Reader.Numbers.cs", "partial class Reader;", 0)]
    [InlineData("src/A/Lsn.cs", "class Lsn; class Epoch;", 1)]
    [InlineData("src/A/Lsn.cs", "class Epoch;", 1)]
    [InlineData("src/A/Handler.cs", "delegate void Handler();", 0)]
    [InlineData("src/A/Other.cs", "enum Kind { One }", 1)]
    public void The_rule_sees_what_it_should(string path, string text, int complaints) =>
        Assert.Equal(complaints, Complaints(SourceFile.Parse(path, text)).Count());

    private static IEnumerable<string> Complaints(SourceFile file)
    {
        string name = Path.GetFileNameWithoutExtension(file.Path);
        string[] types = [.. TopLevelTypes(file.Tree)];
        if (types.Length > 1)
        {
            yield return $"{file.Path} holds {types.Length} types: {string.Join(", ", types)}.";
        }
        else if (types.Length == 1 && types[0] != name.Split('{', '.')[0])
        {
            yield return $"{file.Path} holds {types[0]}.";
        }
    }

    private static IEnumerable<string> TopLevelTypes(SyntaxNode tree) =>
        tree.DescendantNodes(static node => node is CompilationUnitSyntax or BaseNamespaceDeclarationSyntax)
            .Select(static node => node switch
            {
                BaseTypeDeclarationSyntax type => type.Identifier.Text,
                DelegateDeclarationSyntax type => type.Identifier.Text,
                _ => null,
            })
            .OfType<string>();
}
