using System.Buffers;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.State;

/// <summary>What cannot be state is refused where it is written, with the place in the author's words.</summary>
public sealed class RefusalTests
{
    private sealed class Bank
    {
        public object? Anything;
        public DurableCompletion<int> Gate = new();
        public DurableTask<int> Suspended;

        public async DurableTask<int> Deposit(Stream stream)
        {
            Stream s = stream;
            int value = await Gate.Task;
            return value + (int)s.Length;
        }

        public async DurableTask<int> Sum(List<int> list)
        {
            int sum = 0;
            foreach (int item in list)
            {
                sum += item + await Gate.Task;
            }
            return sum;
        }

        public async DurableTask<int> Query(IEnumerable<int> source)
        {
            foreach (int item in source.Where(x => x > 1))
            {
                await Gate.Task;
            }
            return 0;
        }
    }

    [Fact]
    public void A_sorted_collection_whose_items_have_left_its_order_is_not_saved()
    {
        var order = new ByFirst();
        int[] changed = [1];
        var set = new SortedSet<int[]>(order) { changed, new[] { 2 }, new[] { 3 } };
        Graph.Save(set);
        changed[0] = 2; // Equal to the next one: adding them again would lose one of them.
        CannotSaveException lost = Assert.Throws<CannotSaveException>(() => Graph.Save(set));
        Assert.Contains("do not change what an item is ordered by", lost.Message, StringComparison.Ordinal);
        changed[0] = 9; // Adding them again would give another order.
        Assert.Throws<CannotSaveException>(() => Graph.Save(set));
        var map = new SortedDictionary<int[], int>(order) { [[1]] = 1, [changed] = 2 };
        Graph.Save(map);
        changed[0] = 1;
        Assert.Throws<CannotSaveException>(() => Graph.Save(map));
    }

    [Fact]
    public void Keys_that_are_equal_in_this_build_and_were_not_when_they_were_saved_are_refused()
    {
        var one = new Key { Number = 1 };
        var two = new Key { Number = 2 };
        object[] all =
        [
            new HashSet<Key> { one, two }, new Dictionary<Key, int> { [one] = 1, [two] = 1 },
            new DurableSet<Key> { one, two }, new DurableDictionary<Key, int> { [one] = 1, [two] = 1 },
            System.Collections.Immutable.ImmutableHashSet.Create(new ByKey(), "1", "2"),
        ];
        byte[][] saved = [.. all.Select(static root => Graph.Save(root))];
        Key.AreAllEqual = true;
        try
        {
            Assert.All(saved, static bytes => Assert.Contains(
                "equal", Assert.Throws<CannotResumeException>(() => Graph.Load(bytes)).Message, StringComparison.Ordinal));
            // Items that became equal by themselves could not be read again: that shows while the log is still there.
            Assert.All(all[..^1], static root => Assert.Contains(
                "have become equal", Assert.Throws<CannotSaveException>(() => Graph.Save(root)).Message, StringComparison.Ordinal));
        }
        finally
        {
            Key.AreAllEqual = false;
        }
    }

    private sealed class Key
    {
        [ThreadStatic]
        public static bool AreAllEqual;
        public int Number;

        public override bool Equals(object? other) => other is Key key && (AreAllEqual || key.Number == Number);

        public override int GetHashCode() => 1;
    }

    private sealed class ByKey : IEqualityComparer<string>
    {
        public bool Equals(string? x, string? y) => Key.AreAllEqual || x == y;

        public int GetHashCode(string text) => 1;
    }

    [Fact]
    public void A_field_that_hides_one_of_a_base_class_does_not_get_its_value()
    {
        CannotResumeException error = Assert.Throws<CannotResumeException>(() => Graph.Load(Renamed(new Plain1(), "Plain1", "Hiding")));
        Assert.Contains("its field '_code' was saved when one class had a field of that name", error.Message, StringComparison.Ordinal);
        var back = (Plain1)Graph.Load(Renamed(new Hiding(), "Hiding", "Plain1"))!;
        Assert.Equal(7, back.Code); // Not the value of the field that is gone.
    }

    private class Coded
    {
        private int _code = 7;

        public int Code => _code;

        public void Recode(int code) => _code = code;
    }

    private sealed class Plain1 : Coded;

    private sealed class Hiding : Coded
    {
        private int _code = 5;

        public int Other => _code;

        public void RecodeOther(int code) => _code = code;
    }

    // What another build saved that called its class so.
    private static byte[] Renamed(object root, string old, string name) => System.Text.Encoding.Latin1.GetBytes(
        System.Text.Encoding.Latin1.GetString(Graph.Save(root)).Replace(old, name, StringComparison.Ordinal));

    private sealed class ByFirst : IComparer<int[]>
    {
        public int Compare(int[]? x, int[]? y) => x![0].CompareTo(y![0]);
    }

    [Fact]
    public void A_stream_in_a_local_is_named_with_class_and_method()
    {
        Bank bank = new();
        using MemoryStream stream = new();
        bank.Suspended = bank.Deposit(stream);
        CannotSaveException error = Assert.Throws<CannotSaveException>(() => Graph.Save(bank));
        Assert.Matches("^Bank.Deposit: local 's(tream)?' is a MemoryStream, which cannot be part of an immortal's state: ",
            error.Message.Replace("RefusalTests.", "", StringComparison.Ordinal));
    }

    [Fact]
    public void An_enumerator_of_a_library_collection_over_an_await_is_named_with_the_rewrite()
    {
        Bank bank = new();
        bank.Suspended = bank.Sum([1, 2]);
        CannotSaveException error = Assert.Throws<CannotSaveException>(() => Graph.Save(bank));
        Assert.Contains("Bank.Sum: ", error.Message, StringComparison.Ordinal);
        Assert.Contains("List<int>.Enumerator", error.Message, StringComparison.Ordinal);
        Assert.Contains("DurableList", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_query_over_an_await_is_refused()
    {
        Bank bank = new();
        bank.Suspended = bank.Query([1, 2, 3]);
        CannotSaveException error = Assert.Throws<CannotSaveException>(() => Graph.Save(bank));
        Assert.Contains("Bank.Query: ", error.Message, StringComparison.Ordinal);
    }

    public static TheoryData<object, string> Unsavable => new()
    {
        { Task.CompletedTask, "DurableTask" },
        { new CancellationTokenSource(), "DurableCancellation" },
        { new CancellationTokenSource().Token, "DurableCancellation" },
        { new Random(5), "Random" },
        { new object[] { Thread.CurrentThread }, "threads" },
        { new Lazy<int>(() => 1), "own types" },
        { (nint)5, "memory" },
        { new Derived(), "hold one in a field" },
        { System.Collections.Immutable.ImmutableHashSet.Create(new Bank()), "DurableSet" },
        { new System.Text.Json.JsonException(), "" },
    };

    [Theory]
    [MemberData(nameof(Unsavable))]
    public void What_cannot_be_state_is_refused_with_advice(object value, string advice)
    {
        Bank bank = new() { Anything = value };
        if (advice.Length == 0)
        {
            Graph.Save(bank); // An exception of .NET is data.
            return;
        }
        CannotSaveException error = Assert.Throws<CannotSaveException>(() => Graph.Save(bank));
        Assert.Contains(advice, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_type_of_an_assembly_that_the_application_does_not_refer_to_is_refused()
    {
        GraphOptions options = new() { Assemblies = [typeof(Graph).Assembly] };
        object foreign = new Xunit.Sdk.XunitException("foreign");
        CannotSaveException error =
            Assert.Throws<CannotSaveException>(() => GraphWriter.Write(new ArrayBufferWriter<byte>(), [foreign], options));
        Assert.Contains("assembly", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_async_Task_method_waiting_outside_of_any_turn_cannot_slip_into_a_state()
    {
        Bank bank = new();
        async Task Waiting() => await bank.Gate.Task;
        Task waiting = Waiting();
        Assert.False(waiting.IsCompleted);
        Assert.Throws<CannotSaveException>(() => Graph.Save(bank));
    }

    private sealed class Derived : List<int>;
}
