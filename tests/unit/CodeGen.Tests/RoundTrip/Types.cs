using System.Runtime.Serialization;

namespace Ambrosia.CodeGen.Tests.RoundTrip;

public sealed record Item(string Name, int Count = 3, Item? Next = null)
{
    public DateTime At { get; set; }

    public required string Code { get; init; }

    public string Note { get; set; } = "unset";
}

public sealed class Tree
{
    public int Value { get; set; }

    public List<Tree> Children { get; set; } = [];

    public Tree? Parent { get; set; }
}

public record Pair<T>(T Left, T Right);

[DataContract]
public sealed class ByPosition
{
    [DataMember(Order = 3)]
    public string? Last { get; set; }

    [DataMember(Order = 0)]
    public int First { get; set; }
}

[Union(1, typeof(Circle)), Union(2, typeof(Box))]
public abstract record Shape;

public sealed record Circle(double Radius) : Shape;

public record Box(Shape? Inner, (int Width, int Height) Size) : Shape;

public sealed record NotListed : Shape;

public record RedBox(Shape? Inner) : Box(Inner, default);

public sealed class Settings
{
    public required string Name { get; init; }

    public int Retries { get; init; } = 3;

    public string Mode { get; init; } = "fast";

    public List<int> Steps { get; set; } = [1, 2];
}

public struct Point
{
    [System.Diagnostics.CodeAnalysis.SuppressMessage("Design", "CA1051", Justification = "Fields travel, too.")]
    public int X;

    public int Y { get; set; }
}

[ImmortalInterface]
public interface IEverything
{
    Settings Configure(Settings settings, Point point);

    Item Items(Dictionary<string, Item[]> items, Tree tree, Pair<string?> pair, Pair<int> numbers);

    Shape? Shapes(Shape shape, ByPosition position, Box box);
}
