using System.Collections.Concurrent;
using Ambrosia.Builds.Tests.Support;
using Microsoft.CodeAnalysis;

namespace Ambrosia.Builds.Tests;

/// <summary>
/// What becomes of a log when the code is edited: each edit is built, the first build is killed, and the second one is started on its log.
/// It goes on with the same state, or it refuses before it acts; what it does is the table of docs/guide/builds.md.
/// </summary>
public sealed class EditTests : IDisposable
{
    private const string State = "count=3 color=2 note=card 12cash five lines=a3";

    private static readonly Edit[] s_edits =
    [
        new("built again from the same source", Edit.Goes, Edit.Goes),
        new("field added", Edit.Goes, Edit.Goes, ("private int _spare = 5;", "private int _spare = 5; private int _more = 7;")),
        new("field removed", Edit.Lost, Edit.Lost, ("private int _spare = 5;", "")),
        new("field removed, `[Removed(\"_spare\")]` on the class", Edit.Goes, Edit.Goes,
            ("private int _spare = 5;", ""), ("public class Shop", "[Removed(\"_spare\")] public class Shop")),
        new("field renamed", Edit.Lost, Edit.Lost, ("_spare", "_extra")),
        new("field renamed, `[DataMember(Name = \"_count\")]` on it", Edit.Goes, Edit.Goes,
            ("private int _count;", "[DataMember(Name = \"_count\")] private int _total;"), ("_count += Weigh", "_total += Weigh"),
            ("return _count;", "return _total;"),
            ("before = _count;", "before = _total;"), ("_count = before;", "_total = before;"), ("{_count}", "{_total}")),
        new("field moved to a base class", Edit.Goes, Edit.Goes,
            ("private int _spare = 5;", ""), ("Base : ShopBase\n{", "Base : ShopBase\n{\n    protected int _spare = 5;")),
        new("fields reordered", Edit.Goes, Edit.Goes,
            ("private int _count;", ""), ("private string _note = \"\";", "private string _note = \"\"; private int _count;")),
        new("field retyped", Edit.Lost, Edit.Lost, ("private int _spare = 5;", "private string _spare = \"5\";")),
        new("field `[NotSaved]` now", Edit.Lost, Edit.Lost, ("private int _spare = 5;", "[NotSaved] private int _spare = 5;")),
        new("immortal renamed", Edit.Lost, Edit.Lost, ("class Shop ", "class Store ")),
        new("class in the state renamed", Edit.Lost, Edit.Lost, ("Line>", "Row>"), ("new Line", "new Row"), ("class Line", "class Row")),
        new("enum value appended", Edit.Goes, Edit.Goes, ("Green = 2", "Green = 2, Blue = 3")),
        new("enum values renumbered", Edit.Lost, Edit.Lost, ("Red = 1, Green = 2", "Red = 2, Green = 1")),
        new("union tags exchanged", Edit.Goes, Edit.Lost,
            ("Union(1, typeof(Card)), Union(2, typeof(Cash))", "Union(2, typeof(Card)), Union(1, typeof(Cash))")),
        new("method added", Edit.Goes, Edit.Goes,
            ("[Impulse] void Say();", "[Impulse] void Say(); [Impulse] void More();"),
            ("private static int", "public override async DurableTask More() { } private static int")),
        new("method overloaded", Edit.Goes, Edit.Goes,
            ("[Impulse] void Say();", "[Impulse] void Say(); [Impulse] void Add(string text);"),
            ("private static int", "public override async DurableTask Add(string text) { } private static int")),
        new("methods reordered", Edit.Goes, Edit.Goes,
            ("[Impulse] void Add(int amount);", ""), ("[Impulse] void Say();", "[Impulse] void Say(); [Impulse] void Add(int amount);")),
        new("parameter renamed in a method that is not async", Edit.Goes, Edit.Goes, ("Add(int amount)", "Add(int pieces)"),
            ("Weigh(amount)", "Weigh(pieces)")),
        new("parameter renamed in an async method", Edit.Goes, Edit.Other, ("Paint(Color color)", "Paint(Color paint)"),
            ("_color = color;", "_color = paint;")),
        new("method removed", Edit.Goes, Edit.Lost, ("[Impulse] void Paint(Color color);", ""),
            ("public override async DurableTask Paint", "public async DurableTask Paint")),
        new("method renamed", Edit.Goes, Edit.Lost, ("void Paint(", "void Colour("), ("DurableTask Paint(", "DurableTask Colour(")),
        new("parameter retyped", Edit.Goes, Edit.Lost, ("Add(int amount)", "Add(long amount)"), ("Weigh(amount)", "Weigh((int)amount)")),
        new("result retyped", Edit.Goes, Edit.Other, ("[Impulse] int Count()", "[Impulse] long Count()"),
            ("DurableTask<int> Count", "DurableTask<long> Count")),
        new("record in arguments: member with a default value added", Edit.Goes, Edit.Goes,
            ("int Price);", "int Price, string Note = \"\");")),
        new("record in arguments: member without one added", Edit.Goes, Edit.Lost, ("int Price);", "int Price, string Note);")),
        new("record in arguments: member renamed", Edit.Goes, Edit.Lost, ("int Price);", "int Cost);"), ("order.Price", "order.Cost")),
        new("body changed", Edit.Goes, Edit.Other, ("_count += Weigh(amount);", "_count += 2 * Weigh(amount);")),
        new("constant changed", Edit.Goes, Edit.Other, ("\"card \"", "\"CARD \"")),
        new("helper's body changed", Edit.Goes, Edit.Other, ("return amount;", "return amount + 1;")),
        new("compiled for debugging instead of release", Edit.Goes, Edit.Other) { Optimization = OptimizationLevel.Debug },
        new("BecomingPrimary changed", Edit.Goes, Edit.Goes, ("Door.Open(This);", "Console.WriteLine(); Door.Open(This);")),
    ];

    private readonly Workshop _shops = new();

    private string First => Path.Combine(_shops.Folder, "first", "Shop.dll");

    [Fact]
    public async Task An_edited_build_goes_on_with_the_same_state_or_refuses_before_it_acts_as_the_page_says()
    {
        Compile(Source.Text, "first");
        Log("log", First, saves: false);
        Log("checkpoint", First, saves: true);
        var rows = new ConcurrentDictionary<int, string>();
        await Parallel.ForEachAsync(Enumerable.Range(0, s_edits.Length), new ParallelOptions { MaxDegreeOfParallelism = 2 }, (i, _) =>
        {
            Edit edit = s_edits[i];
            string build = Compile(Source.With(edit.Changes), $"edit{i}", edit.Optimization);
            string afterCheckpoint = Workshop.Outcome(_shops.Copy("checkpoint", i), build, State);
            string atReplay = Workshop.Outcome(_shops.Copy("log", i), build, State);
            rows[i] = $"| {edit.What} | {afterCheckpoint} | {atReplay} |";
            return ValueTask.CompletedTask;
        });
        string[] found = [.. rows.OrderBy(static row => row.Key).Select(static row => row.Value)];
        Assert.Equal([.. s_edits.Select(static edit => $"| {edit.What} | {edit.AfterCheckpoint} | {edit.AtReplay} |")], found);
        string page = await File.ReadAllTextAsync(Path.Combine(AppContext.BaseDirectory, "../../../../../../docs/guide/builds.md"));
        Assert.All(found, row => Assert.Contains(row, page, StringComparison.Ordinal));
    }

    [Fact]
    public void What_is_accepted_by_its_word_goes_on_and_the_word_is_for_these_differences_only()
    {
        Compile(Source.Text, "first");
        Log("log", First, saves: false);
        string removed = Compile(Source.With(("private int _spare = 5;", "")), "removed");
        string folder = Path.Combine(_shops.Folder, "log");
        string word = WordOf(removed, folder);
        using (var other = new ShopProcess(Compile(Source.With(("private int _spare = 5;", ""), ("return amount;", "return 0;")), "other"),
            folder, word))
        {
            Assert.Null(other.Until("primary"));
            Assert.Equal((int)AppExitCode.BuildRefused, other.ExitCode);
            Assert.Contains("nothing was sent or changed (IC-5005)", other.Output, StringComparison.Ordinal);
        }

        using (var accepted = new ShopProcess(removed, folder, word))
        {
            Assert.NotNull(accepted.Until("primary"));
            Assert.Contains("count=3 ", accepted.State(), StringComparison.Ordinal);
            accepted.Kill();
        }

        using var again = new ShopProcess(removed, folder); // It had its checkpoint before it acted: nothing is left to be accepted.
        Assert.True(again.Until("primary") is not null, again.Output);
        Assert.Contains("count=3 ", again.State(), StringComparison.Ordinal);
    }

    [Theory] // What a schedule calls stands in the state, with its arguments.
    [InlineData("goes on", "")]
    [InlineData("goes on", "", "_count += amount;", "_count -= amount;")]
    [InlineData("refused", "Schedule 'sweep' calls method 77 of Shops.IShop, which is gone.", "[MethodId(77)] ", "")]
    [InlineData("refused", "lost: schedule 'sweep' calls ", "Sweep(int amount)", "Sweep(string text)", "_count += amount;", "_note = text;",
        "SweepFork(4)", "SweepFork(\"4\")")]
    public void A_method_that_a_schedule_calls_may_change_what_it_does_and_must_stay_with_its_parameters(
        string outcome, string said, params string[] edit)
    {
        string planned = Source.With(
            ("[Impulse] void Say();", "[Impulse] void Say(); [Impulse] void Plan(); [MethodId(77)] void Sweep(int amount);"),
            ("private static int", """
                public override DurableTask Plan() { This.Every("sweep", "0 0 1 1 *").SweepFork(4); return DurableTask.CompletedTask; }
                public override DurableTask Sweep(int amount) { _count += amount; return DurableTask.CompletedTask; }
                private static int
                """));
        string first = Compile(planned, "planned");
        _shops.Log("plan", first, saves: true, static shop => shop.Call("Plan"));
        (string, string)[] changes = [.. edit.Chunk(2).Select(static pair => (pair[0], pair[1]))];
        using var next = new ShopProcess(Compile(Source.Replace(planned, changes), "next"), Path.Combine(_shops.Folder, "plan"));
        Assert.Equal(outcome == "goes on", next.Until("primary") is not null);
        Assert.True(outcome == "goes on" || next.ExitCode is (int)AppExitCode.BuildRefused or (int)AppExitCode.Failed, next.Output);
        Assert.True(next.Output.Contains(said, StringComparison.Ordinal), next.Output);
    }

    [Fact]
    public void A_build_that_was_let_in_executes_its_own_messages_again_after_a_kill()
    {
        Compile(Source.Text, "first");
        Log("checkpoint", First, saves: true);
        string folder = Path.Combine(_shops.Folder, "checkpoint");
        string changed = Compile(Source.With(("return amount;", "return 10 * amount;")), "changed");
        using (var second = new ShopProcess(changed, folder))
        {
            Assert.NotNull(second.Until("primary"));
            second.Call("Add", "1");
            second.Kill();
        }

        using var third = new ShopProcess(changed, folder);
        Assert.NotNull(third.Until("primary"));
        Assert.Contains("count=13 ", third.State(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_changed_method_in_which_a_call_is_suspended_is_refused()
    {
        Compile(Source.Text, "first");
        using (var shop = new ShopProcess(First, Path.Combine(_shops.Folder, "log")))
        {
            Assert.NotNull(shop.Until("primary"));
            shop.Call("Wait&", "60");
            Workshop.Save(shop, Path.Combine(_shops.Folder, "log"));
            shop.Kill();
        }

        using var changed = new ShopProcess(Compile(Source.With(("_count = before;", "_count = before + 1;")), "changed"),
            Path.Combine(_shops.Folder, "log"));
        Assert.Null(changed.Until("primary"));
        Assert.Equal((int)AppExitCode.BuildRefused, changed.ExitCode);
        Assert.Contains("Shop.Wait", changed.Output, StringComparison.Ordinal);
    }

    public void Dispose() => _shops.Dispose();

    private static string WordOf(string build, string folder)
    {
        using var refused = new ShopProcess(build, folder);
        Assert.Null(refused.Until("primary"));
        return refused.Output.Split("--accept ")[1][..6];
    }

    // Each kind of message once or twice, then a kill; with a checkpoint after them if it saves.
    private void Log(string name, string build, bool saves) => _shops.Log(name, build, saves, static shop =>
    {
        shop.Call("Add", "1");
        shop.Call("Add", "2");
        shop.Call("Place", """{"Id":"a","Price":3}""");
        shop.Call("Paint", "2");
        shop.Call("Pay", """Card:{"Number":"12"}""");
        shop.Call("Pay", """Cash:{"Note":"five"}""");
        shop.Call("Count");
        Assert.Contains("count=3 ", shop.State(), StringComparison.Ordinal);
    });

    private string Compile(string source, string name, OptimizationLevel optimization = OptimizationLevel.Release) =>
        _shops.Compile(source, name, optimization);
}
