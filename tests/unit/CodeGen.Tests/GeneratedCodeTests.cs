using Ambrosia.CodeGen.Tests.Support;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Tests;

public sealed class GeneratedCodeTests
{
    [Fact]
    public void Generated_code_compiles_without_a_warning()
    {
        (GeneratorDriverRunResult result, Compilation output) = Generation.Run("""
            namespace Shop;

            [ImmortalInterface]
            public interface IShop
            {
                decimal Order(string customer, List<Item> items, Dictionary<string, int?>? stock = null);
                [Impulse] Task<bool> PaidAsync(Guid order, Shape shape, (int Count, string? Note) tuple);
                void Note(params string[] lines);
            }

            public record Item(string Name, int Count = 1, Item? Next = null);

            [Union(1, typeof(Circle)), Union(2, typeof(Box))]
            public abstract record Shape;

            public sealed record Circle(double Radius) : Shape;

            public record Box(double Width, double Height) : Shape;
            """);

        Assert.Empty(result.Diagnostics);
        Assert.Empty(output.GetDiagnostics().Where(d => d.Severity >= DiagnosticSeverity.Warning));
        Assert.Contains(result.GeneratedTrees, tree => tree.FilePath.EndsWith("Shop.IShop.g.cs", StringComparison.Ordinal));
    }
}
