using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.Architecture.Tests.Symbols;

/// <summary>What a file of one folder says of a type or member that is declared in another folder of the same project.</summary>
/// <param name="From">The folder that refers.</param>
/// <param name="To">The folder that is referred to.</param>
/// <param name="At">File and line, for a person to click on, and the name that is said there.</param>
internal sealed record FolderReference(string From, string To, string At)
{
    /// <summary>Every reference between two folders of one project, by symbols: a member of a partial class belongs to the folder of its
    /// file.</summary>
    public static IReadOnlyList<FolderReference> In(SourceProject project)
    {
        // Most names are of locals, of the framework or of the same folder: those need not be bound.
        ILookup<string, string> homes = project.Files.SelectMany(static file => Declared(file).Select(name => (name, Folder: Folder(file))))
            .ToLookup(static declared => declared.name, static declared => declared.Folder);
        return [.. project.Files.AsParallel().SelectMany(file => In(project, file, homes))];
    }

    private static IEnumerable<FolderReference> In(SourceProject project, SyntaxTree file, ILookup<string, string> homes)
    {
        SemanticModel model = project.Compilation.GetSemanticModel(file);
        string from = Folder(file);
        foreach (SimpleNameSyntax name in file.GetRoot().DescendantNodes().OfType<SimpleNameSyntax>())
        {
            string text = name.Identifier.ValueText;
            if (!homes[text].Concat(homes[text + "Attribute"]).Any(home => home != from))
            {
                continue;
            }

            SymbolInfo info = model.GetSymbolInfo(name);
            if (Home(project, info.Symbol ?? info.CandidateSymbols.FirstOrDefault()) is { } to && to != from)
            {
                yield return new FolderReference(from, to,
                    $"{file.FilePath}:{name.GetLocation().GetLineSpan().StartLinePosition.Line + 1}: {text}");
            }
        }
    }

    private static IEnumerable<string> Declared(SyntaxTree file) => file.GetRoot().DescendantNodes().Select(static node => node switch
    {
        BaseTypeDeclarationSyntax type => type.Identifier.ValueText,
        DelegateDeclarationSyntax type => type.Identifier.ValueText,
        MethodDeclarationSyntax method => method.Identifier.ValueText,
        PropertyDeclarationSyntax property => property.Identifier.ValueText,
        EventDeclarationSyntax member => member.Identifier.ValueText,
        EnumMemberDeclarationSyntax member => member.Identifier.ValueText,
        ParameterSyntax parameter => parameter.Identifier.ValueText, // of a record: a property
        VariableDeclaratorSyntax { Parent.Parent: BaseFieldDeclarationSyntax } field => field.Identifier.ValueText,
        _ => null,
    }).OfType<string>().Distinct();

    private static string? Home(SourceProject project, ISymbol? symbol)
    {
        // What is said to make an object is a type, though it may have no constructor of its own.
        symbol = symbol is IMethodSymbol { MethodKind: MethodKind.Constructor } constructor ? constructor.ContainingType : symbol;
        if (symbol is null or INamespaceSymbol or ILocalSymbol or IParameterSymbol or ITypeParameterSymbol or ILabelSymbol
            or IRangeVariableSymbol
            || !SymbolEqualityComparer.Default.Equals(symbol.ContainingAssembly, project.Compilation.Assembly))
        {
            return null;
        }

        // A partial type stands in several files: naming it is a reference to the one that is named after it.
        SyntaxTree[] files = [.. symbol.OriginalDefinition.DeclaringSyntaxReferences.Select(static place => place.SyntaxTree)];
        return files.Length == 0 ? null : Folder(files.MinBy(static file => Path.GetFileName(file.FilePath).Length)!);
    }

    private static string Folder(SyntaxTree file) => Path.GetDirectoryName(file.FilePath)!.Replace('\\', '/');
}
