using System.Text;
using Ambrosia.Serialization;

namespace Ambrosia.CodeGen.Tests.RoundTrip;

public sealed class RoundTripTests
{
    [Fact]
    public void Records_come_back_equal()
    {
        Item item = new("a", 5, new Item("b") { Code = "c2" })
            { Code = "c", At = new DateTime(2024, 1, 2, 3, 4, 5, DateTimeKind.Utc), Note = "n" };
        Assert.Equal(item, Generated.RoundTrip(item));
    }

    [Fact]
    public void Missing_members_take_the_parameters_default_or_their_initial_value()
    {
        Item read = Generated.Read<Item>(Map(("Name", Text("x")), ("Code", Text("c"))));
        Assert.Equal((3, null, "unset", default), (read.Count, read.Next, read.Note, read.At));
    }

    [Fact]
    public void Missing_members_with_init_accessors_keep_their_initial_value_too()
    {
        Settings none = Generated.Read<Settings>(Map(("Name", Text("n"))));
        Assert.Equal((3, "fast", 2), (none.Retries, none.Mode, none.Steps.Count));

        Settings one = Generated.Read<Settings>(Map(("Mode", Text("slow")), ("Name", Text("n"))));
        Assert.Equal(("n", 3, "slow"), (one.Name, one.Retries, one.Mode));

        Settings all = Generated.RoundTrip(new Settings { Name = "x", Retries = 7, Mode = "y", Steps = [5] });
        Assert.Equal(("x", 7, "y", 5), (all.Name, all.Retries, all.Mode, all.Steps.Single()));
    }

    [Fact]
    public void Structs_come_back()
    {
        Point read = Generated.RoundTrip(new Point { X = 1, Y = -2 });
        Assert.Equal((1, -2), (read.X, read.Y));
    }

    [Theory]
    [InlineData("Name", "Item.Code")]
    [InlineData("Code", "Item.Name")]
    public void A_missing_member_without_default_is_refused_by_name(string sent, string missing)
    {
        MessagePackException error = Assert.Throws<MessagePackException>(() => Generated.Read<Item>(Map((sent, Text("x")))));
        Assert.Equal(MessagePackError.MissingMember, error.Error);
        Assert.StartsWith($"{missing} is missing and has no default", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Unknown_members_are_skipped_with_all_they_hold()
    {
        byte[] nested = [0x82, .. Text("q"), 0x93, 1, 2, 3, .. Text("r"), 0x81, 1, 0xC0];
        Item read = Generated.Read<Item>(Map(("Newer", nested), ("Name", Text("x")), ("Code", Text("c"))));
        Assert.Equal("x", read.Name);
    }

    [Fact]
    public void A_null_for_a_member_that_allows_none_is_refused_by_name()
    {
        MessagePackException error = Assert.Throws<MessagePackException>(() => Generated.Read<Item>(Map(("Name", [0xC0]))));
        Assert.Equal("Item.Name: null stands where text belongs (byte 6).", error.Message);
    }

    [Fact]
    public void A_null_for_a_member_that_allows_none_is_not_written()
    {
        MessagePackException error = Assert.Throws<MessagePackException>(() => Generated.Write(new Item(null!) { Code = "c" }));
        Assert.Equal(MessagePackError.UnexpectedNull, error.Error);
    }

    [Fact]
    public void Trees_come_back_and_cycles_are_a_clear_error()
    {
        Tree tree = new() { Value = 1,
            Children = { new Tree { Value = 2 }, new Tree { Value = 3, Children = { new Tree { Value = 4 } } } } };
        Tree read = Generated.RoundTrip(tree);
        Assert.Equal([2, 3], read.Children.Select(static c => c.Value));
        Assert.Equal(4, read.Children[1].Children[0].Value);

        tree.Children[0].Parent = tree;
        MessagePackException error = Assert.Throws<MessagePackException>(() => Generated.Write(tree));
        Assert.Equal(MessagePackError.TooDeep, error.Error);
        Assert.Contains("a cycle cannot be sent", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Nesting_from_a_peer_is_bounded()
    {
        byte[] bytes = Map(("Value", [1]));
        for (int i = 0; i < 1000; i++)
        {
            bytes = Map(("Parent", bytes));
        }

        Assert.Equal(MessagePackError.TooDeep, Assert.Throws<MessagePackException>(() => Generated.Read<Tree>(bytes)).Error);
    }

    [Fact]
    public void Generic_types_differ_by_their_arguments()
    {
        Assert.Equal(new Pair<int>(1, 2), Generated.RoundTrip(new Pair<int>(1, 2)));
        Assert.Equal(new Pair<string?>("a", null), Generated.RoundTrip(new Pair<string?>("a", null)));
    }

    [Fact]
    public void A_data_contract_with_orders_is_an_array_with_gaps()
    {
        ByPosition value = new() { First = 7, Last = "z" };
        Assert.Equal("9407C0C0A17A", Convert.ToHexString(Generated.Write(value)));
        ByPosition read = Generated.RoundTrip(value);
        Assert.Equal((7, "z"), (read.First, read.Last));

        ByPosition shorter = Generated.Read<ByPosition>([0x91, 0x09]);
        Assert.Equal((9, null), (shorter.First, shorter.Last));
        Assert.Equal("w", Generated.Read<ByPosition>([0x96, 0x09, 1, 2, .. Text("w"), 3, 0xC0]).Last);
    }

    [Fact]
    public void Unions_travel_as_tag_and_value()
    {
        Shape shape = new Box(new Circle(0.5), (1, 2));
        byte[] bytes = Generated.Write(shape);
        Assert.Equal([0x92, 0x02, 0x82], bytes[..3]);
        Assert.Equal(shape, Generated.RoundTrip(shape));
    }

    [Fact]
    public void A_union_holds_listed_types_only()
    {
        Assert.Equal(MessagePackError.UnknownTag, Assert.Throws<MessagePackException>(() => Generated.Write<Shape>(new NotListed())).Error);
        Assert.Equal(
            "Shape has no [Union] attribute with tag 9 (byte 2).",
            Assert.Throws<MessagePackException>(() => Generated.Read<Shape>([0x92, 0x09, 0x80])).Message);
    }

    [Fact]
    public void A_derived_object_is_not_cut_down_to_its_base_in_silence()
    {
        MessagePackException error = Assert.Throws<MessagePackException>(() => Generated.Write<Box>(new RedBox(null)));
        Assert.Equal(MessagePackError.UnknownTag, error.Error);
        Assert.Contains("RedBox", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Random_bytes_are_read_or_refused_but_nothing_else()
    {
        byte[] seedBytes = Generated.Write(new Item("name", 5, new Item("b") { Code = "c2" }) { Code = "c" });
        for (int seed = 0; seed < 5000; seed++)
        {
            Random random = new(seed);
            byte[] bytes = [.. seedBytes];
            for (int i = random.Next(1, 4); i > 0; i--)
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            }

            try
            {
                Generated.Read<Item>(bytes);
            }
            catch (MessagePackException error)
            {
                Assert.InRange(error.Offset, 0, bytes.Length);
            }
            catch (Exception error)
            {
                Assert.Fail($"Seed {seed}: {error}");
            }
        }
    }

    private static byte[] Text(string text) => [(byte)(0xA0 | text.Length), .. Encoding.UTF8.GetBytes(text)];

    private static byte[] Map(params (string Key, byte[] Value)[] pairs) =>
        [(byte)(0x80 | pairs.Length), .. pairs.SelectMany(static p => Text(p.Key).Concat(p.Value))];
}
