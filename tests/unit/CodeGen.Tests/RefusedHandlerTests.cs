using Ambrosia.CodeGen.Tests.Support;

namespace Ambrosia.CodeGen.Tests;

/// <summary>What handlers and state may not do, with the exact words that their author reads.</summary>
public sealed class RefusedHandlerTests
{
    private const string Span = "AMB101 Error (7): Activity.Current gives another result when the message is executed again after a crash; "
        + "it is not in the log: only tell it something, in a statement of its own, as in Activity.Current?.SetTag(…);";

    [Theory]
    [InlineData("var x = DateTime.UtcNow;",
        "AMB101 Error (7): DateTime.UtcNow gives another result when the message is executed again after a crash; use LogTime")]
    [InlineData("var x = DateTimeOffset.Now;",
        "AMB101 Error (7): DateTimeOffset.Now gives another result when the message is executed again after a crash; use LogTime")]
    [InlineData("var x = Guid.NewGuid();",
        "AMB101 Error (7): Guid.NewGuid gives another result when the message is executed again after a crash; use NewGuid()")]
    [InlineData("var x = new Random().Next();",
        "AMB101 Error (7): new Random() gives another result when the message is executed again after a crash; use Random")]
    [InlineData("var x = System.Random.Shared.Next();",
        "AMB101 Error (7): Random.Shared gives another result when the message is executed again after a crash; use Random")]
    [InlineData("var x = Environment.TickCount64;",
        "AMB101 Error (7): Environment.TickCount64 gives another result when the message is executed again after a crash; use LogTime")]
    [InlineData("var x = System.Diagnostics.Stopwatch.GetTimestamp();",
        "AMB101 Error (7): Stopwatch.GetTimestamp gives another result when the message is executed again after a crash; use LogTime")]
    [InlineData("var x = \"a\".GetHashCode();",
        "AMB101 Error (7): String.GetHashCode gives another result when the message is executed again after a crash; hash codes of "
        + "strings differ from process to process; use a hash of your own")]
    [InlineData("var x = System.IO.File.ReadAllText(\"x\");",
        "AMB101 Error (7): File.ReadAllText gives another result when the message is executed again after a crash; let a durable effect "
        + "do it (docs/guide/effects.md): Effects<…>() of an [EffectInterface]; or do it from BecomingPrimary and send what comes of it "
        + "as an impulse")]
    [InlineData("var x = Console.ReadLine();",
        "AMB101 Error (7): Console.ReadLine gives another result when the message is executed again after a crash; do it from "
        + "BecomingPrimary and send what comes of it as an impulse")]
    [InlineData("var x = System.Diagnostics.Activity.Current?.Id;", Span)]
    [InlineData("if (System.Diagnostics.Activity.Current is not null) { _count++; }", Span)]
    [InlineData("var x = System.Diagnostics.Activity.Current?.SetTag(\"a\", 1);", Span)]
    [InlineData("Sell2(System.Diagnostics.Activity.Current!.Id!.Length); void Sell2(int number) => _count += number;", Span)]
    [InlineData("int Length() => System.Diagnostics.Activity.Current!.Id!.Length; _count = Length();", Span)]
    [InlineData("var x = System.Diagnostics.ActivityTraceId.CreateRandom();",
        "AMB101 Error (7): ActivityTraceId.CreateRandom gives another result when the message is executed again after a crash; "
        + "use NewGuid()")]
    [InlineData("Func<Guid> x = Guid.NewGuid;",
        "AMB101 Error (7): Guid.NewGuid gives another result when the message is executed again after a crash; use NewGuid()")]
    [InlineData("Task.Run(() => 1);",
        "AMB105 Error (7): Task.Run runs code outside of the message being executed, where nothing is logged; use a DurableTask: "
        + "This.…Async to do it in a later message, Delay(…) to wait")]
    [InlineData("new Thread(() => { }).Start();",
        "AMB105 Error (7): Thread.Start runs code outside of the message being executed, where nothing is logged; threads belong into "
        + "BecomingPrimary, and what they find is sent as an impulse",
        "AMB105 Error (7): new Thread() runs code outside of the message being executed, where nothing is logged; threads belong into "
        + "BecomingPrimary, and what they find is sent as an impulse")]
    [InlineData("Thread.Sleep(1);", "AMB106 Error (7): Thread.Sleep blocks the only thread of the immortal; use await Delay(…)")]
    [InlineData("Task.CompletedTask.Wait();",
        "AMB106 Error (7): Task.Wait blocks the only thread of the immortal; await a DurableTask instead")]
    [InlineData("Outside.Count++;",
        "AMB109 Error (7): Outside.Count is static and can change, so it is neither saved nor rebuilt after a crash; make it an "
        + "instance field")]
    [InlineData("Outside.Count = 5;",
        "AMB109 Error (7): Outside.Count is static and can change, so it is neither saved nor rebuilt after a crash; make it an "
        + "instance field")]
    [InlineData("var x = Outside.Ambient.Value;",
        "AMB110 Error (7): AsyncLocal.Value flows with the thread and is lost when a handler is resumed after a crash; pass the value as "
        + "a parameter or keep it in a field")]
    [InlineData("foreach (var each in _map) { This.SellFork(each.Key); }",
        "AMB111 Warning (7): Messages are sent in the order of a Dictionary, which is another one after recovery; use a "
        + "DurableDictionary, or sort before")]
    [InlineData("foreach (var key in _map.Keys) { This.SellFork(key); }",
        "AMB111 Warning (7): Messages are sent in the order of a Dictionary, which is another one after recovery; use a "
        + "DurableDictionary, or sort before")]
    [InlineData("foreach (var each in _set) { This.SellFork(each); }",
        "AMB111 Warning (7): Messages are sent in the order of a HashSet, which is another one after recovery; use a DurableSet, "
        + "or sort before")]
    [InlineData("This.SellAsync(1);",
        "AMB113 Error (7): The result of SellAsync is dropped and so are its errors; await it, or send it without waiting with SellFork")]
    [InlineData("Sell(1);", "AMB113 Error (7): The result of Sell is dropped and so are its errors; await it")]
    [InlineData("This.TickImpulse();",
        "AMB120 Error (7): TickImpulse is called in a handler, but impulses come from the outside world only; use TickAsync or TickFork")]
    [InlineData("Func<Task> f = async () => await DurableTask.CompletedTask;",
        "AMB103 Error (7): The lambda is asynchronous and returns Task; return DurableTask or DurableTask<T>, so that it survives a crash "
        + "while it waits")]
    public async Task Handler_is_refused(string statement, params string[] expected) =>
        Assert.Equal(expected.Order(StringComparer.Ordinal), (await Handler("DurableTask", statement + " return default;"))
            .Order(StringComparer.Ordinal));

    [Theory]
    [InlineData("System.Diagnostics.Activity.Current?.SetTag(\"count\", _count);")]
    [InlineData("System.Diagnostics.Activity.Current?.SetTag(\"a\", 1).AddEvent(new(\"sold\"));")]
    [InlineData("System.Diagnostics.Activity.Current!.SetTag(\"a\", 1);")]
    [InlineData("void Tell() => System.Diagnostics.Activity.Current?.SetTag(\"a\", 1); Tell();")]
    public async Task A_span_may_be_told_something(string statement) =>
        Assert.Empty(await Handler("DurableTask", statement + " return default;"));

    [Theory]
    [InlineData("await Task.Delay(1);",
        "AMB102 Error (7): Task cannot be awaited here, because it does not survive a crash; do it from BecomingPrimary and send what "
        + "comes of it as an impulse, or make the method return DurableTask",
        "AMB105 Error (7): Task.Delay runs code outside of the message being executed, where nothing is logged; use Delay(…)")]
    [InlineData("await Task.CompletedTask.ConfigureAwait(false);",
        "AMB104 Error (7): ConfigureAwait leaves the immortal's thread; await a DurableTask without it")]
    [InlineData("System.IO.MemoryStream stream = new(); await Delay(default);",
        "AMB108 Error (7): 'stream' may be alive while the method waits, but MemoryStream cannot: a stream is a handle of this process; "
        + "use it in a method of its own that does not await")]
    [InlineData("Func<int> f = () => 1; await Delay(default);",
        "AMB108 Error (7): 'f' may be alive while the method waits, but Func is a delegate, which holds code; use it in a method of its "
        + "own that does not await")]
    [InlineData("var big = _set.Where(i => i > 1); await Delay(default);",
        "AMB108 Error (7): 'big' may be alive while the method waits, but it is a query, which holds code and a position; add .ToArray(); "
        + "use it in a method of its own that does not await")]
    [InlineData("for (int i = 0; i < 2; i++) { await Delay(default); System.IO.MemoryStream stream = new(); }",
        "AMB108 Error (7): 'stream' may be alive while the method waits, but MemoryStream cannot: a stream is a handle of this process; "
        + "use it in a method of its own that does not await")]
    [InlineData("_count += await This.CountAsync();",
        "AMB112 Warning (7): _count is read before the await and written after it, so what other handlers write meanwhile is lost; await "
        + "into a local first")]
    [InlineData("_map[1] += await This.CountAsync();",
        "AMB112 Warning (7): _map[1] is read before the await and written after it, so what other handlers write meanwhile is lost; await "
        + "into a local first")]
    [InlineData("foreach (int each in _list) { await Delay(default); }",
        "AMB116 Error (7): The loop awaits while it enumerates a List<int>, whose position cannot be saved; iterate over a copy: "
        + "_list.ToArray()")]
    [InlineData("foreach (int each in _list.Where(i => i > 1)) { await Delay(default); }",
        "AMB116 Error (7): The loop awaits while it enumerates a IEnumerable<int>, whose position cannot be saved; iterate over a copy: "
        + "_list.Where(i => i > 1).ToArray()")]
    public async Task Await_is_refused(string statement, params string[] expected) =>
        Assert.Equal(expected, await Handler("async DurableTask", statement));

    [Theory]
    [InlineData("public System.IO.Stream? Source;",
        "AMB107 Error (7): Shop.Source cannot be saved: Stream cannot: a stream is a handle of this process; mark it [NotSaved] and set "
        + "it anew in BecomingPrimary, or keep plain data")]
    [InlineData("public Task<int>? Later { get; set; }",
        "AMB107 Error (7): Shop.Later cannot be saved: Task cannot: a task belongs to this process; use a DurableTask; mark it [NotSaved] "
        + "and set it anew in BecomingPrimary, or keep plain data")]
    [InlineData("public List<Action> Later = [];",
        "AMB107 Error (7): Shop.Later cannot be saved: Action is a delegate, which holds code; mark it [NotSaved] and set it anew in "
        + "BecomingPrimary, or keep plain data")]
    [InlineData("public event Action? Sold { add { } remove { } } private readonly Holder _holder = new();",
        "AMB107 Error (7): Shop._holder cannot be saved: in Holder.Timer, Timer cannot: a timer belongs to this process; use Delay(…); "
        + "mark it [NotSaved] and set it anew in BecomingPrimary, or keep plain data")]
    [InlineData("public static int Total;",
        "AMB109 Error (7): Shop.Total is static and can change, so it is neither saved nor rebuilt after a crash; make it an "
        + "instance field")]
    [InlineData("private async Task Later() => await Task.CompletedTask;",
        "AMB103 Error (7): Later is asynchronous and returns Task; return DurableTask or DurableTask<T>, so that it survives a crash "
        + "while it waits")]
    [InlineData("private async void Later() => await Delay(default);",
        "AMB103 Error (7): Later is asynchronous and returns void; return DurableTask or DurableTask<T>, so that it survives a crash "
        + "while it waits")]
    [InlineData("private async DurableTask Later(System.IO.Stream stream) => await Delay(default);",
        "AMB108 Error (7): 'stream' may be alive while the method waits, but Stream cannot: a stream is a handle of this process; use it "
        + "in a method of its own that does not await")]
    [InlineData("[Continues(\"Gone\")] private DurableTask OldV1() => default;",
        "AMB115 Error (7): [Continues] of OldV1 names Gone, but the class has no other method of that name with the same "
        + "parameters and result")]
    [InlineData("[Continues(nameof(Sell))] private DurableTask OldV1(string other) => default;",
        "AMB115 Error (7): [Continues] of OldV1 names Sell, but the class has no other method of that name with the same "
        + "parameters and result")]
    [InlineData("public Shop(int size) { }",
        "AMB117 Error (4): Shop has no public constructor that takes nothing or services only, so it could not be made again after a "
        + "crash; add one, and keep values in fields that handlers set")]
    [InlineData("private readonly IClock _clock; public Shop(IClock clock) => _clock = clock;",
        "AMB127 Error (7): IClock clock is a service that belongs to this process, and _clock would be saved with the state; keep it in a "
        + "[NotSaved] field")]
    [InlineData("public IClock Clock { get; } public Shop(IClock clock) { Clock = clock ?? throw new ArgumentNullException(); }",
        "AMB127 Error (7): IClock clock is a service that belongs to this process, and Clock would be saved with the state; keep it in a "
        + "[NotSaved] field")]
    [InlineData("private readonly IClock? _clock; public Shop() { } [ActivatorUtilitiesConstructor] public Shop(IClock clock) => _clock = "
        + "clock; class ActivatorUtilitiesConstructorAttribute : Attribute;",
        "AMB127 Error (7): IClock clock is a service that belongs to this process, and _clock would be saved with the state; keep it in a "
        + "[NotSaved] field")]
    public async Task State_is_refused(string member, string expected) =>
        Assert.Equal([expected], await Handler("DurableTask", "return default;", member));

    [Theory]
    [InlineData("[NotSaved] private readonly IClock _clock; public Shop(IClock clock) => _clock = clock;")]
    [InlineData("[field: NotSaved] public IClock? Clock { get; } public Shop(IClock clock) { Clock = clock; clock.ToString(); }")]
    [InlineData("public Shop(IClock clock, int size = 3) { _count = clock.ToString()!.Length + size; }")]
    [InlineData("private readonly DurableList<int> _sold; public Shop() => _sold = new(); public Shop(DurableList<int> sold) => "
        + "_sold = sold;")]
    [InlineData("private readonly DurableList<int> _sold = new(); public Shop() { } internal Shop(DurableList<int> sold) => _sold = sold;")]
    public async Task Services_outside_of_the_state_are_fine(string member) =>
        Assert.Empty(await Handler("DurableTask", "return default;", member));

    [Fact]
    public async Task A_parameter_of_a_primary_constructor_that_methods_use_is_refused() => Assert.Equal(
        ["AMB127 Error (5): IClock clock is a service that belongs to this process, and what a primary constructor keeps for the methods "
            + "would be saved with the state; keep it in a [NotSaved] field"],
        await Analysis.RunAsync("""
            [ImmortalInterface] public interface IShop { void Sell(); }
            public interface IClock;
            public class Shop(IClock clock) : ShopBase
            {
                protected override void BecomingPrimary(ImmortalContext context) => clock.ToString();
                public override DurableTask Sell() => default;
            }
            """));

    [Theory]
    [InlineData("_count++; return _count;",
        "AMB121 Error (6): Peek is a query, which only reads, and writes _count; leave [Query] away, or do not write")]
    [InlineData("Last = 3; return 0;",
        "AMB121 Error (6): Peek is a query, which only reads, and writes Last; leave [Query] away, or do not write")]
    [InlineData("_map[item] = 4; return 0;",
        "AMB121 Error (6): Peek is a query, which only reads, and writes _map; leave [Query] away, or do not write")]
    [InlineData("_cells[0] += 1; return 0;",
        "AMB121 Error (6): Peek is a query, which only reads, and writes _cells; leave [Query] away, or do not write")]
    [InlineData("This.SellFork(item); return 0;",
        "AMB122 Error (6): Peek is a query, which only reads, and calls SellFork; leave [Query] away, or do without")]
    [InlineData("TakeCheckpoint(); return 0;",
        "AMB122 Error (6): Peek is a query, which only reads, and calls TakeCheckpoint; leave [Query] away, or do without")]
    [InlineData("return new Answer { Value = _count }.Value;")]
    [InlineData("int local = _count; local++; var copy = _map.Count; copy += 2; return local + copy;")]
    public async Task A_query_reads_only(string body, params string[] expected) =>
        Assert.Equal(expected, await Query("DurableTask<int>", body));

    [Fact]
    public async Task A_query_waits_for_nothing() => Assert.Contains(
        "AMB122 Error (6): Peek is a query, which only reads, and awaits; leave [Query] away, or do without",
        await Query("async DurableTask<int>", "await Delay(default); return 0;"));

    [Fact]
    public async Task A_struct_that_can_change_is_warned_about() => Assert.Equal(
        ["AMB118 Warning (1): Add works on a copy of the struct once it has awaited, so its changes are lost; make the struct "
            + "readonly or a class"],
        await Analysis.RunAsync(
            "public struct Sum { public int Total; public async DurableTask Add(DurableTask<int> more) { int x = await more; "
            + "Total = x; } }"));

    [Theory]
    [InlineData("PublishAot")]
    [InlineData("PublishTrimmed")]
    public async Task Ahead_of_time_publishing_is_refused(string property) => Assert.Equal(
        [$"AMB114 Error (2): Shop is an immortal, which cannot run in an app published with {property}: suspended methods are saved with "
            + $"their fields and code, which trimming removes; remove it from the project"],
        await Analysis.RunAsync(
            "[ImmortalInterface] public interface IShop { void Sell(); }\npublic class Shop : ShopBase { public override DurableTask "
            + "Sell() => default; }",
            contract: null, (property, "true")));

    [Theory]
    [InlineData("IShop 5 Gone() -> void",
        "AMB020 Error (1): The contract lists Gone() with id 5, but IShop has no such method; messages that carry it are refused: bring "
        + "it back, beside the one that has other parameters if there is one; give the method [MethodId(5)] if it was only renamed; "
        + "or remove the line once no message can carry it")]
    [InlineData("IShop 1288605857 Sell(System.Collections.Generic.Dictionary<System.Int32,System.Int32>) -> void",
        "AMB027 Error (1): IShop.Sell(System.Collections.Generic.Dictionary<System.Int32,System.Int32>) has id 1288605857 in the contract, "
        + "which Sell() has now with another number of parameters; messages with the old ones could not be read: let the old method stand "
        + "beside the new one, which has an id of its own without [MethodId(1288605857)]")]
    [InlineData("IShop 5 Sell() -> void",
        "AMB021 Error (1): IShop.Sell() has id 5 in the contract but 1288605857 now; write [MethodId(5)]")]
    [InlineData("IShop 1288605857 Sell() -> System.Int32",
        "AMB022 Error (1): IShop.Sell() returns System.Int32 in the contract but void now; callers that were built before would not "
        + "understand the answer: add a method of another name instead")]
    [InlineData("", "AMB023 Warning (1): IShop.Sell() is not in the contract yet; build the project where AmbrosiaWriteContract is not "
        + "false, or run 'ambrosia-codegen contract', and commit the line")]
    [InlineData("what is this",
        "AMB024 Error (1): Line 1 of the contract cannot be read: 'what is this'; a line is: interface, id, signature -> result")]
    public async Task Contract_is_checked(string line, string expected) =>
        Assert.Contains(expected, await Analysis.RunAsync("[ImmortalInterface] public interface IShop { void Sell(); }", line));

    private static Task<string[]> Query(string returns, string body) => Analysis.RunAsync($$"""
        [ImmortalInterface] public interface IShop { void Sell(int item); [Query] int Peek(int item); }
        public class Answer { public int Value; }
        public class Shop : ShopBase
        {
            private int _count; private readonly Dictionary<int, int> _map = []; private readonly int[] _cells = new int[3]; public int Last { get; set; }
            public override {{returns}} Peek(int item) { {{body}} }
            public override DurableTask Sell(int item) { _count++; _map[item] = _cells[0]++; return default; }
        }
        """);

    private static Task<string[]> Handler(string returns, string body, string member = "") => Analysis.RunAsync($$"""
        [ImmortalInterface] public interface IShop { void Sell(int item); int Count(); [Impulse] void Tick(); }
        public static class Outside { public static int Count; public static readonly AsyncLocal<int> Ambient = new(); }
        public class Holder { public Timer? Timer; } public interface IClock;
        public class Shop : ShopBase
        {
            private int _count; private readonly Dictionary<int, int> _map = []; private readonly HashSet<int> _set = []; private readonly List<int> _list = [];
            {{member}} public override {{returns}} Sell(int item) { {{body}} }
            public override DurableTask<int> Count() => _count++ + _map.Count + _set.Count + _list.Count;
            public override DurableTask Tick() => default;
        }
        """);
}
