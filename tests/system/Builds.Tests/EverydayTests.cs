using System.Collections.Concurrent;
using Ambrosia.Builds.Tests.Support;

namespace Ambrosia.Builds.Tests;

/// <summary>
/// As <see cref="EditTests"/>, for what ordinary programs are made of: texts in resources, attributes, delegates, JSON, records that become
/// classes, and edits that only look as if they changed something.
/// </summary>
public sealed class EverydayTests : IDisposable
{
    private const string Greeting = "Hello";
    private const string Texts = "static readonly System.Resources.ResourceManager s_texts = new(\"Texts\", typeof(Shop).Assembly);";

    private const string State = "greeting=Hello memos={\"Text\":\"x\",\"Priority\":0} labels=Label { Text = y } keys=2 names=2 rules=20 "
        + "shelf=3 size=2 sent=p4 price=13.";

    private static readonly (string Text, Edit Edit)[] s_edits =
    [
        InShop(new("program of everyday parts, built again", Edit.Goes, Edit.Goes)),
        (Greeting, new("text in the resources changed", Edit.Goes, Edit.Other, ("Hello", "Good morning"))),
        InShop(new("class that is written as JSON: property added", Edit.Goes, Edit.Other,
            ("public int Priority { get; set; }", "public int Priority { get; set; } public int Extra { get; set; }"))),
        InShop(new("class that is written as JSON: attribute of a property", Edit.Goes, Edit.Other,
            ("public int Priority", "[JsonPropertyName(\"prio\")] public int Priority"))),
        InShop(new("class that is written as JSON: property computed otherwise", Edit.Goes, Edit.Other,
            ("public int Priority { get; set; }", "public int Priority { get => _p + 1; set => _p = value; } private int _p;"))),
        InShop(new("record that is printed: member with a default value added", Edit.Goes, Edit.Other,
            ("record Label(string Text)", "record Label(string Text, int More = 0)"))),
        InShop(new("record that is printed turned into a class", Edit.Goes, Edit.Other,
            ("record Label(string Text);",
                "class Label { public Label(string Text) { this.Text = Text; } public string Text { get; init; } }"))),
        InShop(new("record as a key turned into a class", Edit.Goes, Edit.Other,
            ("sealed record Key(string Text);",
                "sealed class Key { public Key(string Text) { this.Text = Text; } public string Text { get; init; } }"))),
        InShop(new("method that a delegate in a field names changed", Edit.Goes, Edit.Other, ("=> 2 * number;", "=> 4 * number;"))),
        InShop(new("method that a delegate in a field names renamed", Edit.Lost, Edit.Lost,
            ("= Twice;", "= Double;"), ("int Twice(", "int Double("))),
        InShop(new("what a lambda in a list calls changed", Edit.Goes, Edit.Other, ("=> 3 * number;", "=> 5 * number;"))),
        InShop(new("comparer of an immutable dictionary changed, keys become equal", Edit.Lost, Edit.Other,
            ("string.Equals(x, y, StringComparison.Ordinal)", "x!.Length == y!.Length"))),
        InShop(new("another immortal's method numbered otherwise", Edit.Goes, Edit.Other, ("void Note(", "[MethodId(77)] void Note("))),
        InShop(new("enum of another size", Edit.Lost, Edit.Lost, ("enum Size {", "enum Size : byte {"))),
        InShop(new("static readonly field changed", Edit.Goes, Edit.Other, ("s_limit = 1000", "s_limit = 1001"))),
        InShop(new("constructor of a class in the state turned into a primary constructor", Edit.Lost, Edit.Lost,
            ("class Shelf { private readonly int _width; public Shelf(int width) { _width = width; } public int Width => _width; }",
                "class Shelf(int width) { public int Width => width; }"))),
        InShop(new("method moved to a base class", Edit.Goes, Edit.Other,
            ("public override async DurableTask Greet() { _greeting += s_texts.GetString(\"Greeting\"); }", ""),
            ("abstract class Base : ShopBase\n{", $"abstract class Base : ShopBase\n{{\n    private protected {Texts}\n"
                + "    protected string _greeting = \"\"; public override async DurableTask Greet() "
                + "{ _greeting += s_texts.GetString(\"Greeting\"); }"),
            ("private string _greeting = \"\";", ""), ("private " + Texts, ""))),
        InShop(new("part compiled under a condition", Edit.Goes, Edit.Other,
            ("DurableTask Greet() { _greeting", "DurableTask Greet() {\n#if !FANCY\n_greeting += \"\";\n#endif\n_greeting"))),
        InLibrary(new("library of the application: default value of a parameter changed", Edit.Goes, Edit.Other,
            ("percent = 10", "percent = 20"))),
        InLibrary(new("library of the application: generic method changed", Edit.Goes, Edit.Other, ("all.Max()!", "all.Min()!"))),
        InLibrary(new("library of the application: extension method changed", Edit.Goes, Edit.Other, ("% 2 == 1", "% 2 == 0"))),
        InShop(new("class of an immortal split into parts", Edit.Goes, Edit.Goes,
            ("public class Shop : Base", "public partial class Shop : Base { "
                + "public override async DurableTask Measure(Size size) { _size = size; } }\npublic partial class Shop : Base"),
            ("    public override async DurableTask Measure(Size size) { _size = size; }\n", ""))),
        InShop(new("annotation for null", Edit.Goes, Edit.Goes, ("private string? _sent;", "private string _sent = null!;"))),
        InShop(new("property with init in place of set, required", Edit.Goes, Edit.Goes,
            ("public int Weight { get; set; }", "public required int Weight { get; init; }"))),
        InShop(new("class sealed, fields readonly", Edit.Goes, Edit.Goes,
            ("public class Shop", "public sealed class Shop"), ("private Shelf", "private readonly Shelf"))),
    ];

    private readonly Workshop _shops = new();

    [Fact]
    public async Task An_ordinary_edit_is_compared_by_what_it_changes()
    {
        string first = _shops.Compile(EverydaySource.Text, "first", library: EverydaySource.Library, text: Greeting);
        _shops.Log("log", first, saves: false, Work);
        _shops.Log("checkpoint", first, saves: true, Work);
        var rows = new ConcurrentDictionary<int, string>();
        await Parallel.ForEachAsync(Enumerable.Range(0, s_edits.Length), new ParallelOptions { MaxDegreeOfParallelism = 2 }, (i, _) =>
        {
            (string text, Edit edit) = s_edits[i];
            string edited = Source.Replace(text, edit.Changes);
            string build = _shops.Compile(
                text == EverydaySource.Text ? edited : EverydaySource.Text, $"edit{i}",
                library: text == EverydaySource.Library ? edited : EverydaySource.Library, text: text == Greeting ? edited : Greeting);
            rows[i] = Row(edit with
            {
                AfterCheckpoint = Workshop.Outcome(_shops.Copy("checkpoint", i), build, State),
                AtReplay = Workshop.Outcome(_shops.Copy("log", i), build, State),
            });
            return ValueTask.CompletedTask;
        });
        string[] found = [.. rows.OrderBy(static row => row.Key).Select(static row => row.Value)];
        string expected = string.Join('\n', s_edits.Select(static item => Row(item.Edit)));
        Assert.True(expected == string.Join('\n', found), string.Join('\n', found));
        string page = await File.ReadAllTextAsync(Path.Combine(AppContext.BaseDirectory, "../../../../../../docs/guide/builds.md"));
        Assert.All(found, row => Assert.Contains(row, page, StringComparison.Ordinal));
    }

    [Fact] // Values that differ under keys that are equal now made .NET's own collection throw.
    public void Keys_of_an_immutable_collection_that_became_equal_are_a_refusal_with_a_code()
    {
        string first = _shops.Compile(EverydaySource.Text, "first", library: EverydaySource.Library, text: Greeting);
        _shops.Log("log", first, saves: true, static shop =>
        {
            shop.Call("Count", "\"ab\"");
            shop.Call("Count", "\"abc\"");
        });
        string equal = _shops.Compile(
            Source.Replace(EverydaySource.Text, ("string.Equals(x, y, StringComparison.Ordinal)", "true"), ("=> text.Length", "=> 1")),
            "equal", library: EverydaySource.Library, text: Greeting);
        using var shop = new ShopProcess(equal, Path.Combine(_shops.Folder, "log"), beside: true);
        Assert.True(shop.Until("primary") is null, shop.Output);
        Assert.Equal((int)AppExitCode.BuildRefused, shop.ExitCode);
        Assert.Contains("IC-5006", shop.Output, StringComparison.Ordinal);
        Assert.Contains("two of its keys or items are equal in this build", shop.Output, StringComparison.Ordinal);
    }

    public void Dispose() => _shops.Dispose();

    private static string Row(Edit edit) => $"| {edit.What} | {edit.AfterCheckpoint} | {edit.AtReplay} |";

    private static (string, Edit) InShop(Edit edit) => (EverydaySource.Text, edit);

    private static (string, Edit) InLibrary(Edit edit) => (EverydaySource.Library, edit);

    private static void Work(ShopProcess shop)
    {
        shop.Call("Greet");
        shop.Call("Remember", "\"x\"");
        shop.Call("Count", "\"ab\"");
        shop.Call("Count", "\"cd\"");
        shop.Call("Count", "\"ab\"");
        shop.Call("Rule", "4");
        shop.Call("Print", "\"y\"");
        shop.Call("Discount", "9");
        shop.Call("Send", """{"Name":"p","Weight":4}""");
        shop.Call("Measure", "2");
        shop.Call("Tell", "5");
        Assert.Contains(State, shop.State(), StringComparison.Ordinal);
    }
}
