using System.Collections;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Globalization;
using System.Numerics;
using System.Text;

namespace Ambrosia.CSharpBinding.Tests.State;

public sealed class KnownTypesTests
{
    private enum Color : short
    {
        Red = -3,
        Blue = 7,
    }

    public static TheoryData<object> Values => new(
        true, false, (byte)255, (sbyte)-128, short.MinValue, ushort.MaxValue, int.MinValue, uint.MaxValue, long.MinValue, ulong.MaxValue,
        'x', '\uD800', float.Epsilon, double.NaN, (Half)1.5, Int128.MinValue, UInt128.MaxValue, 1.10m, decimal.MinValue,
        Guid.Parse("00112233-4455-6677-8899-aabbccddeeff"), DateTime.MaxValue, new DateTime(2020, 1, 2, 3, 4, 5, DateTimeKind.Utc),
        DateTime.MinValue,
        new DateTimeOffset(2020, 1, 2, 3, 4, 5, TimeSpan.FromHours(-7)), TimeSpan.MinValue, DateOnly.MaxValue, TimeOnly.MaxValue,
        new Rune(0x1F600),
        1..^2, ^5, BigInteger.Pow(7, 500), -BigInteger.One, new Complex(1, -2), Color.Blue, DayOfWeek.Friday,
        "", "plain", "\uD800 lone", new string('é', 100), new string('z', 100_000), new string('\uDC00', 70_000),
        new Version(1, 2, 3), new Uri("http://a/b?c"), new Uri("relative", UriKind.Relative), CultureInfo.InvariantCulture,
        (1, "two", 3.0), (1, 2, 3, 4, 5, 6, 7, 8, 9), Tuple.Create(1, "a"), Tuple.Create(1, 2, 3, 4, 5, 6, 7, Tuple.Create(8)),
        new KeyValuePair<string, int>("k", 1),
        typeof(int), typeof(Dictionary<string, Color[]>), StringComparer.OrdinalIgnoreCase,
        new ReadOnlyMemory<char>("abc".ToCharArray(), 1, 1).ToString());

    [Theory]
    [MemberData(nameof(Values))]
    public void A_value_survives(object value) => Assert.Equal(value, Graph.Copy(value));

    public static TheoryData<object> Collections => new(
        new byte[] { 1, 2, 3 }, new int[100_000], Array.Empty<string>(), new string?[] { "a", null }, new[] { new[] { 1 }, [], [2, 3] },
        new[,] { { 1, 2, 3 }, { 4, 5, 6 } }, new[,,] { { { "a" } } }, new bool[] { true, false }, new DateTime[3],
        new (int, string)[] { (1, "a") },
        new List<int> { 1, 2 }, new Queue<string>(["a", "b"]), new Stack<int>([1, 2, 3]), new LinkedList<int>([1, 2]), new HashSet<string>
            { "a", "b" },
        new Dictionary<string, int> { ["a"] = 1 }, new SortedSet<int> { 3, 1 }, new SortedDictionary<string, int> { ["b"] = 1, ["a"] = 2 },
        new SortedList<int, string> { [2] = "b", [1] = "a" }, new ReadOnlyCollection<int>([1, 2]), new BitArray([true, false, true]),
        ImmutableList.Create(1, 2), ImmutableStack.Create(1, 2), ImmutableQueue.Create(1, 2), ImmutableHashSet.Create("a", "b"),
        ImmutableDictionary.CreateRange([KeyValuePair.Create("a", 1), KeyValuePair.Create("b", 2)]), ImmutableSortedSet.Create(3, 1),
        ImmutableSortedDictionary.CreateRange([KeyValuePair.Create("b", 1), KeyValuePair.Create("a", 2)]),
        new DurableDictionary<string, int> { ["a"] = 1 }, new DurableSet<int> { 3, 1 }, new DurableList<int> { 1, 2 });

    [Theory]
    [MemberData(nameof(Collections))]
    public void A_collection_keeps_its_items_in_their_order(object value)
    {
        object copy = Graph.Copy(value);
        Assert.Equal(value.GetType(), copy.GetType());
        Assert.Equal(((IEnumerable)value).Cast<object?>(), ((IEnumerable)copy).Cast<object?>());
    }

    [Fact]
    public void An_array_that_does_not_begin_at_zero_keeps_its_bounds()
    {
        Array array = Array.CreateInstance(typeof(int), [2, 2], [5, -1]);
        array.SetValue(7, 6, 0);
        Array copy = Graph.Copy(array);
        Assert.Equal(5, copy.GetLowerBound(0));
        Assert.Equal(-1, copy.GetLowerBound(1));
        Assert.Equal(7, copy.GetValue(6, 0));
    }

    [Fact]
    public void Views_of_arrays_keep_looking_at_the_same_array()
    {
        int[] array = [1, 2, 3, 4];
        object[] copy = Graph.Copy<object[]>([array, array.AsMemory(1, 2), new ArraySegment<int>(array, 2, 2),
            (ReadOnlyMemory<int>)array.AsMemory(3), ImmutableArray.Create(1, 2), "text".AsMemory(1, 2)]);
        ((int[])copy[0])[2] = 9;
        Assert.Equal(9, ((Memory<int>)copy[1]).Span[1]);
        Assert.Equal(9, ((ArraySegment<int>)copy[2])[0]);
        Assert.Equal(4, ((ReadOnlyMemory<int>)copy[3]).Span[0]);
        Assert.Equal([1, 2], ((ImmutableArray<int>)copy[4]).ToArray());
        Assert.Equal("ex", ((ReadOnlyMemory<char>)copy[5]).ToString());
    }

    [Fact]
    public void Comparers_survive_and_are_used()
    {
        Dictionary<string, int> map = Graph.Copy(new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase) { ["Key"] = 1 });
        Assert.Equal(1, map["kEY"]);
        HashSet<string> set = Graph.Copy(new HashSet<string>(new ByLength(2)) { "aa" });
        Assert.Contains("bb", set);
        Assert.DoesNotContain("bbbb", set);
        SortedSet<int> sorted = Graph.Copy(new SortedSet<int>(new Descending()) { 1, 3, 2 });
        Assert.Equal([3, 2, 1], sorted);
        DurableDictionary<string, int> durable =
            Graph.Copy(new DurableDictionary<string, int>(StringComparer.OrdinalIgnoreCase) { ["Key"] = 1 });
        Assert.Equal(1, durable["kEY"]);
        Dictionary<object, int> byReference = new(ReferenceEqualityComparer.Instance);
        object key = new();
        byReference[key] = 5;
        object[] pair = Graph.Copy<object[]>([byReference, key]);
        Assert.Equal(5, ((Dictionary<object, int>)pair[0])[pair[1]]);
    }

    [Fact]
    public void A_priority_queue_serves_equal_priorities_in_the_same_order_as_the_original()
    {
        PriorityQueue<string, int> queue = new();
        for (int i = 0; i < 100; i++)
        {
            queue.Enqueue($"{i}", i % 3);
        }
        queue.Dequeue();
        PriorityQueue<string, int> copy = Graph.Copy(queue);
        while (queue.Count > 0)
        {
            Assert.Equal(queue.Dequeue(), copy.Dequeue());
        }
        Assert.Equal(0, copy.Count);
    }

    [Fact]
    public void Text_builders_keep_their_text_and_their_identity()
    {
        StringBuilder builder = new("abc");
        object[] copy = Graph.Copy<object[]>([builder, builder]);
        Assert.Same(copy[0], copy[1]);
        Assert.Equal("abc", copy[0].ToString());
    }

    private sealed class ByLength(int modulus) : IEqualityComparer<string>
    {
        public bool Equals(string? x, string? y) => x!.Length == y!.Length;

        public int GetHashCode(string text) => text.Length % modulus;
    }

    private sealed class Descending : Comparer<int>
    {
        public override int Compare(int x, int y) => y.CompareTo(x);
    }
}
