using System.Buffers;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.State;

public sealed class GraphTests
{
    private sealed class Node
    {
        public int Value;
        public Node? Next;
        public object? Other;
    }

    private class Parent(int value)
    {
        private readonly int _value = value;

        public int ParentValue => _value;
    }

    private sealed class Child(int value, int own) : Parent(value)
    {
        private readonly int _value = own;

        public int OwnValue => _value;

        public int Automatic { get; init; } = 3;
    }

    private sealed class Root
    {
        public int Constructed;
        public List<int> Items = [1];
        [NotSaved]
        public string Unsaved = "from the constructor";

        [NotSaved]
        public string Property { get; set; } = "constructed too";

        public Root() => Constructed++;
    }

    private sealed class Host(string name)
    {
        public string Name { get; } = name;
    }

    private sealed class HostHandler : ObjectHandler
    {
        public override bool CanHandle(Type type) => type == typeof(Host);

        public override string Save(object value) => ((Host)value).Name;

        public override object Restore(Type type, string saved) => new Host(saved + " again");
    }

    [Fact]
    public void A_list_of_fifty_thousand_nodes_needs_no_stack()
    {
        Node? head = null;
        for (int i = 0; i < 50_000; i++)
        {
            head = new Node { Value = i, Next = head };
        }
        Node? copy = Graph.Copy(head);
        for (int i = 49_999; i >= 0; i--, copy = copy.Next)
        {
            Assert.Equal(i, copy!.Value);
        }
        Assert.Null(copy);
    }

    [Fact]
    public void Shared_objects_cycles_and_boxes_keep_their_identity()
    {
        Node a = new() { Value = 1 };
        Node b = new() { Value = 2, Next = a };
        a.Next = b;
        object box = 5;
        a.Other = box;
        b.Other = new object[] { box, a, b };
        string longText = new('x', 1000);
        object[] copy = Graph.Copy<object[]>([a, b, longText, longText]);
        Node first = (Node)copy[0];
        object[] inner = (object[])first.Next!.Other!;
        Assert.Same(first, first.Next.Next);
        Assert.Same(first.Other, inner[0]);
        Assert.Same(first, inner[1]);
        Assert.Same(copy[2], copy[3]);
    }

    [Fact]
    public void A_hash_collection_whose_keys_are_objects_in_a_cycle_finds_them_again()
    {
        Dictionary<Keyed, object> map = [];
        Keyed key = new() { Name = "k", Owner = map };
        map[key] = key;
        Dictionary<Keyed, object> copy = Graph.Copy(map);
        Keyed found = copy.Keys.Single();
        Assert.Same(copy, found.Owner);
        Assert.True(copy.ContainsKey(new Keyed { Name = "k" }));
    }

    [Fact]
    public void Fields_of_base_classes_with_the_same_name_do_not_mix()
    {
        Child copy = Graph.Copy(new Child(1, 2) { Automatic = 9 });
        Assert.Equal(1, copy.ParentValue);
        Assert.Equal(2, copy.OwnValue);
        Assert.Equal(9, copy.Automatic);
    }

    [Fact]
    public void A_root_of_the_host_is_filled_and_keeps_what_is_not_saved()
    {
        byte[] bytes = Graph.Save(new Root { Constructed = 7, Items = [4, 5], Unsaved = "lost", Property = "lost" });
        Root existing = new() { Unsaved = "kept", Property = "kept too" };
        Assert.Same(existing, Graph.Load(bytes, existing: existing));
        Assert.Equal(7, existing.Constructed);
        Assert.Equal([4, 5], existing.Items);
        Assert.Equal("kept", existing.Unsaved);
        Assert.Equal("kept too", existing.Property);
    }

    [Fact]
    public void A_field_that_is_not_saved_has_what_the_constructor_gives_it()
    {
        Root copy = Graph.Copy(new Root { Constructed = 7, Unsaved = "lost" });
        Assert.Equal("from the constructor", copy.Unsaved);
        Assert.Equal(7, copy.Constructed);
    }

    [Fact]
    public void A_root_of_another_class_than_the_host_expects_is_an_error()
    {
        byte[] bytes = Graph.Save(new Node());
        Assert.Throws<StateFormatException>(() => Graph.Load(bytes, existing: new Root()));
    }

    [Fact]
    public void Objects_of_the_host_are_saved_by_their_name_and_keep_their_identity()
    {
        GraphOptions options = new() { Assemblies = [typeof(Graph).Assembly], Handlers = [new HostHandler()] };
        Host host = new("bank");
        ArrayBufferWriter<byte> writer = new();
        GraphWriter.Write(writer, [new object[] { host, host }, host], options);
        object?[] roots = GraphReader.Read(new ReadOnlySequence<byte>(writer.WrittenMemory), [], options);
        Host copy = Assert.IsType<Host>(roots[1]);
        Assert.Equal("bank again", copy.Name);
        Assert.Same(copy, ((object[])roots[0]!)[0]);
        Assert.Same(copy, ((object[])roots[0]!)[1]);
    }

    [Fact]
    public void Exceptions_keep_message_type_inner_exception_data_and_where_they_were_thrown()
    {
        Exception thrown = Assert.Throws<AggregateException>(
            (Action)(() => throw new AggregateException("all", new ArgumentException("bad", "name"), new TimeoutException("late"))));
        thrown.Data["key"] = 5;
        AggregateException copy = (AggregateException)Graph.Copy<Exception>(Strip(thrown));
        Assert.Equal(thrown.Message, copy.Message);
        Assert.Equal("name", Assert.IsType<ArgumentException>(copy.InnerExceptions[0]).ParamName);
        Assert.Equal("late", copy.InnerExceptions[1].Message);
        Assert.Equal(thrown.HResult, copy.HResult);
        Assert.Equal(5, copy.Data["key"]);
        Exception withTrace = (Exception)Graph.Load(Graph.Save(thrown))!;
        Assert.Contains(nameof(Exceptions_keep_message_type_inner_exception_data_and_where_they_were_thrown), withTrace.StackTrace,
            StringComparison.Ordinal);

        // Saving a trace again appends the mark of a second throw, so Copy, which compares bytes, gets an exception without one.
        static AggregateException Strip(Exception e)
        {
            AggregateException plain = new("all", ((AggregateException)e).InnerExceptions);
            plain.Data["key"] = e.Data["key"];
            return plain;
        }
    }

    [Fact]
    public void A_state_larger_than_any_page_is_streamed()
    {
        byte[][] blocks = [new byte[3_000_000], new byte[70_000], []];
        new Random(1).NextBytes(blocks[0]);
        long[] numbers = [.. Enumerable.Range(0, 200_000).Select(i => (long)i * i)];
        object[] copy = Graph.Copy<object[]>([blocks, numbers, new string('ü', 300_000)]);
        Assert.True(blocks[0].AsSpan().SequenceEqual(((byte[][])copy[0])[0]));
        Assert.Equal([3_000_000, 70_000, 0], ((byte[][])copy[0]).Select(block => block.Length));
        Assert.True(numbers.AsSpan().SequenceEqual((long[])copy[1]));
        Assert.Equal(new string('ü', 300_000), copy[2]);
    }

    [Fact]
    public void Delegates_to_the_applications_own_methods_survive_with_what_they_captured()
    {
        int captured = 5;
        Func<int, int> closure = x => x + captured++;
        Func<int, int> none = static x => x * 2;
        object[] copy = Graph.Copy<object[]>([closure, none, closure + none]);
        Assert.Equal(15, ((Func<int, int>)copy[0])(10));
        Assert.Equal(16, ((Func<int, int>)copy[0])(10));
        Assert.Equal(20, ((Func<int, int>)copy[1])(10));
        Assert.Equal(2, ((Func<int, int>)copy[2]).GetInvocationList().Length);
        Assert.Equal(5, captured);
    }

    [Fact]
    public void Delegates_to_methods_of_dotnet_are_refused()
    {
        Assert.Throws<CannotSaveException>(() => Graph.Save(new Func<string, bool>(File.Exists)));
    }

    private sealed class Keyed
    {
        public string Name = "";
        public object? Owner;

        public override bool Equals(object? obj) => obj is Keyed other && other.Name == Name;

        public override int GetHashCode() => Name.Length;
    }
}
