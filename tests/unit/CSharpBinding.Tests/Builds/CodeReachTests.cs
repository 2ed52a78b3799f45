using System.Reflection;
using Ambrosia.Builds;

namespace Ambrosia.CSharpBinding.Tests.Builds;

/// <summary>Which code counts as a handler's: code that it reaches already changes nothing when it is named beside the handler.</summary>
public sealed class CodeReachTests
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;

    [Theory]
    [InlineData(nameof(Handlers.Shape), typeof(Square), nameof(Square.Corners))]
    [InlineData(nameof(Handlers.Arrange), typeof(ByText), nameof(ByText.Compare))]
    [InlineData(nameof(Handlers.Keep), typeof(ByLength), nameof(ByLength.Compare))]
    [InlineData(nameof(Handlers.Rate), typeof(Handlers), ".ctor")]
    [InlineData(nameof(Handlers.Cached), typeof(Handlers), ".ctor")]
    [InlineData(nameof(Handlers.Tax), typeof(Handlers), "Taxed")]
    public void What_a_handler_reaches_by_other_ways_than_a_call_is_its_code(string handler, Type type, string reached) =>
        Assert.Equal(HashOf(handler), HashOf(handler, MethodOf(type, reached)));

    [Theory]
    [InlineData(typeof(ByText), nameof(ByText.Compare))]
    [InlineData(typeof(Handlers), ".ctor")]
    [InlineData(typeof(Handlers), "Taxed")]
    [InlineData(typeof(Square), nameof(Square.Corners))]
    public void What_a_handler_does_not_reach_is_not(Type type, string other) =>
        Assert.NotEqual(HashOf(nameof(Handlers.Plain)), HashOf(nameof(Handlers.Plain), MethodOf(type, other)));

    [Theory]
    [InlineData(typeof(Positional), true)]
    [InlineData(typeof(Derived), true)]
    [InlineData(typeof(Value), true)]
    [InlineData(typeof(Computing), false)]
    [InlineData(typeof(Swapped), false)]
    public void A_constructor_that_only_keeps_its_parameters_is_known(Type type, bool isPlain) =>
        Assert.Equal(isPlain, PlainConstructor.Is(type.GetConstructors().First(static made => made.GetParameters().Length > 0)));

    private static string HashOf(string handler, params MethodBase[] beside) =>
        new CodeReach([typeof(CodeReachTests).Assembly]).Of([MethodOf(typeof(Handlers), handler), .. beside]).Hash;

    private static MethodBase MethodOf(Type type, string name) =>
        type.GetMembers(Any).OfType<MethodBase>().First(method => method.Name == name);

    private interface IShape<TSelf>
        where TSelf : IShape<TSelf>
    {
        static abstract int Corners();
    }

    private sealed class Square : IShape<Square>
    {
        public static int Corners() => 4;
    }

    private class ByText : IComparer<string>
    {
        public virtual int Compare(string? x, string? y) => string.CompareOrdinal(x, y);
    }

    private sealed class Backwards : ByText
    {
        public override int Compare(string? x, string? y) => base.Compare(y, x);
    }

    private sealed class ByLength : IComparer<string>
    {
        public int Compare(string? x, string? y) => x!.Length - y!.Length;
    }

    private sealed class Handlers
    {
        private readonly IComparer<string> _order = new Backwards();
        private readonly SortedSet<string> _sorted = new(new ByLength());
        private readonly Func<int, int> _tax = static price => Taxed(price);
        [NotSaved]
        private readonly int _rate = 3;
        private int _sum;

        [NotSaved]
        private int Kept { get; } = 2;

        public void Shape() => _sum += CornersOf<Square>();

        public void Arrange(List<string> names) => names.Sort(_order);

        public void Keep(string name) => _sorted.Add(name);

        public void Rate() => _sum += _rate;

        public void Cached() => _sum += Kept;

        public void Tax() => _sum += _tax(1);

        public void Plain() => _sum++;

        private static int Taxed(int price) => price + 1;

        private static int CornersOf<T>()
            where T : IShape<T> => T.Corners();
    }

    private abstract record Root;

    private sealed record Positional(string Name, int Price);

    private sealed record Derived(string Name) : Root;

    private readonly record struct Value(int A, int B, int C, int D, int E);

    private sealed record Computing(int Price)
    {
        public int Price { get; init; } = Price * 2;
    }

    private sealed record Swapped(int A, int B)
    {
        public int A { get; init; } = B;

        public int B { get; init; } = A;
    }
}
