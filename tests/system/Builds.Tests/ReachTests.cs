using System.Collections.Concurrent;
using Ambrosia.Builds.Tests.Support;

namespace Ambrosia.Builds.Tests;

/// <summary>
/// As <see cref="EditTests"/>, for edits of code and types that handlers reach in other ways: libraries of the application, virtual and
/// static members of interfaces, comparers, constructors, [NotSaved] fields, results of calls, keys of collections.
/// </summary>
public sealed class ReachTests : IDisposable
{
    private const string State =
        "sum=274 weight=5 odd=oddhigh keys=2 names=A,bc box=2 day=2024-02-03 code=8 sorted=A,bc.";

    private static readonly (string Text, Edit Edit)[] s_edits =
    [
        InShop(new("library and classes of many kinds, built again", Edit.Goes, Edit.Goes)),
        InLibrary(new("library of the application: method changed", "", Edit.Other, ("name.Length + s", "2 * name.Length + s"))),
        InLibrary(new("library of the application: constant changed", "", Edit.Other, ("const int Fee = 1", "const int Fee = 2"))),
        InLibrary(new("library of the application: static readonly field changed", "", Edit.Other, ("Base = 10", "Base = 11"))),
        InLibrary(new("library of the application: items of a static array changed", "", Edit.Other, ("{ 1, 2, 3", "{ 4, 2, 3"))),
        InLibrary(new("library of the application: base class changed", "", Edit.Other, ("Change(value) + 1", "Change(value) + 2"))),
        InShop(new("override of a library's method changed", "", Edit.Other, ("=> 2 * value;", "=> 3 * value;"))),
        InShop(new("local function changed", "", Edit.Other, ("of + Prices.Fee", "of - Prices.Fee"))),
        InShop(new("lambda changed", "", Edit.Other, ("value => value + 100", "value => value + 101"))),
        InShop(new("switch expression changed", "", Edit.Other, ("\"high\"", "\"High\""))),
        InShop(new("class behind an interface changed", "", Edit.Other, ("Off(int price) => 1", "Off(int price) => 2"))),
        InShop(new("default method of an interface changed", "", Edit.Other, ("=> 2 * Off", "=> 3 * Off"))),
        InShop(new("static method behind an interface changed", "", Edit.Other, ("Corners() => 4", "Corners() => 5"))),
        InShop(new("comparer in a field changed", "", Edit.Other, ("string.CompareOrdinal(x, y)", "string.CompareOrdinal(y, x)"))),
        InShop(new("comparer of a set changed, order kept", "", Edit.Other, ("x!.Length - y!.Length", "2 * (x!.Length - y!.Length)"))),
        InShop(new("comparer of a set changed, items become equal", Edit.Lost, Edit.Other, ("x!.Length - y!.Length", "0"))),
        InShop(new("value of a `[NotSaved]` field changed", "", Edit.Other, ("_rate = 3", "_rate = 4"))),
        InShop(new("OnRestore changed", "", Edit.Other, ("0 + 1", "0 + 2"))),
        InShop(new("value of a `[NotSaved]` property changed", "", Edit.Other, ("{ get; } = 2", "{ get; } = 3"))),
        InShop(new("what a lambda in a field calls changed", "", Edit.Other, ("=> price + 1", "=> price + 2"))),
        InShop(new("record in results: member that nobody reads renamed", Edit.Lost, Edit.Lost, ("Answer(int First", "Answer(int Former"))),
        InShop(new("record in results that a handler makes: member with a default value added", "", Edit.Other,
            ("int Second)", "int Second, int Third = 0)"))),
        InShop(new("constructor of an argument's type changed", "", Edit.Other, ("= Price * 2", "= Price * 3"))),
        InShop(new("property of an argument's type computed now", Edit.Goes, Edit.Lost, ("int Weight { get; set; }", "int Weight => 1;"))),
        InShop(new("setter of an argument's type changed", "", Edit.Other,
            ("int Weight { get; set; }", "int Weight { get => _w; set => _w = 2 * value; } private int _w;"))),
        InShop(new("record in results: member renamed", Edit.Lost, Edit.Lost,
            ("int Second)", "int Last)"), ("_answer.Second", "_answer.Last"))),
        InShop(new("record as a key: equality changed, keys become equal", Edit.Lost, Edit.Other,
            ("record Key(string Text);", "record Key(string Text) { "
                + "public virtual bool Equals(Key? other) => other is not null; public override int GetHashCode() => 1; }"))),
        InShop(new("enum in a generic class renumbered", Edit.Lost, Edit.Lost, ("Small = 1, Big = 2", "Small = 2, Big = 1"))),
        InShop(new("field of a generic class retyped", Edit.Lost, Edit.Lost, ("public T? Content", "public List<T>? Content"))),
        InShop(new("field retyped from DateOnly to DateTime", Edit.Lost, Edit.Lost, ("DateOnly _day", "DateTime _day"))),
        InShop(new("field of the same name and type as one of a base class added", Edit.Lost, Edit.Lost,
            ("private int _sum;", "private int _sum; private int _code = 5;"))),
        InShop(new("base class renamed", "", Edit.Other, ("class Base", "class Root"), (": Base", ": Root"))),
        InShop(new("interface renamed", "", Edit.Other, ("interface IShop", "interface IStore"), (": ShopBase", ": StoreBase"))),
        InShop(new("method with arguments of every form changed", "", Edit.Other, ("\"odd\"", "\"Odd\""))),
        InShop(new("record in the state turned into a struct", Edit.Lost, Edit.Lost, ("record Key(", "readonly record struct Key("))),
        InShop(new("field turned into an automatic property", Edit.Lost, Edit.Lost,
            ("private int _weight;", "private int Weight { get; set; }"), ("_weight += ", "Weight += "), ("{_weight}", "{Weight}"))),
        InShop(new("namespace of the application renamed", Edit.Lost, Edit.Lost, ("namespace Shops;", "namespace Stores;"))),
    ];

    private readonly Workshop _shops = new();

    [Fact]
    public async Task Whatever_a_handler_reaches_and_a_state_holds_is_compared()
    {
        string first = _shops.Compile(WideSource.Text, "first", library: WideSource.Library);
        _shops.Log("log", first, saves: false, Work);
        _shops.Log("checkpoint", first, saves: true, Work);
        var rows = new ConcurrentDictionary<int, string>();
        await Parallel.ForEachAsync(Enumerable.Range(0, s_edits.Length), new ParallelOptions { MaxDegreeOfParallelism = 2 }, (i, _) =>
        {
            (string text, Edit edit) = s_edits[i];
            bool inLibrary = text == WideSource.Library;
            string edited = Source.Replace(text, edit.Changes);
            string build = _shops.Compile(
                inLibrary ? WideSource.Text : edited, $"edit{i}", library: inLibrary ? edited : WideSource.Library);
            string afterCheckpoint = edit.AfterCheckpoint.Length == 0
                ? "" : Workshop.Outcome(_shops.Copy("checkpoint", i), build, State);
            rows[i] = Row(edit with
                { AfterCheckpoint = afterCheckpoint, AtReplay = Workshop.Outcome(_shops.Copy("log", i), build, State) });
            return ValueTask.CompletedTask;
        });
        string[] found = [.. rows.OrderBy(static row => row.Key).Select(static row => row.Value)];
        Assert.Equal(string.Join('\n', s_edits.Select(static item => Row(item.Edit))), string.Join('\n', found));
        string page = await File.ReadAllTextAsync(Path.Combine(AppContext.BaseDirectory, "../../../../../../docs/guide/builds.md"));
        Assert.All(found, row => Assert.Contains(row, page, StringComparison.Ordinal));
    }

    public void Dispose() => _shops.Dispose();

    private static string Row(Edit edit) => edit.AfterCheckpoint.Length == 0 ? $"| {edit.What} | {edit.AtReplay} |"
        : $"| {edit.What} | {edit.AfterCheckpoint} | {edit.AtReplay} |";

    private static (string, Edit) InShop(Edit edit) => (WideSource.Text, edit);

    private static (string, Edit) InLibrary(Edit edit) => (WideSource.Library, edit);

    private static void Work(ShopProcess shop)
    {
        shop.Call("Order", "\"bc\"");
        shop.Call("Order", "\"A\"");
        shop.Call("Send", """{"Weight":5}""");
        shop.Call("Put", """{"Name":"x","Price":3}""");
        shop.Call("Odd", "{}", "null", "[]", """{"Number":1}""", "null", "{}", """{"Value":1}""", "[]", "[]");
        shop.Call("Arrange");
        shop.Call("Shape");
        shop.Call("Coupon", "1");
        shop.Call("Rate");
        shop.Call("Name", "2");
        shop.Call("Asks", "4");
        Assert.Contains(State, shop.State(), StringComparison.Ordinal);
    }
}
