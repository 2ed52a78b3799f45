using Ambrosia.CodeGen.Tests.Support;

namespace Ambrosia.CodeGen.Tests;

/// <summary>What handlers do to the world outside of their log, by their own lines, and what they keep of it.</summary>
public sealed class OutsideInHandlersTests
{
    private const string Again = "gives another result when the message is executed again after a crash; ";
    private const string Effect =
        "let a durable effect do it (docs/guide/effects.md): Effects<…>() of an [EffectInterface]; or do it from BecomingPrimary and send "
        + "what comes of it as an impulse";
    private const string Static = " is static and can change, so it is neither saved nor rebuilt after a crash; make it an instance field";
    private const string Unsaved =
        " is [NotSaved], so after a crash it holds something else when a handler uses it; save what handlers need, and let a durable "
        + "effect (docs/guide/effects.md) or code that BecomingPrimary starts act on the outside";
    private const string Dropped =
        " starts work that nobody awaits, so it is lost with the process and begun again with its message; let a durable effect do it "
        + "(docs/guide/effects.md), or start it from BecomingPrimary";
    private const string Lock =
        "blocks the only thread of the immortal; leave it out: turns are never concurrent, and what other threads find is sent "
        + "as an impulse";

    [Theory]
    [InlineData("_queue.Writer.TryWrite(item);", "AMB123 Warning (9): Shop._queue" + Unsaved)]
    [InlineData("_cache[item] = 1;", "AMB123 Warning (9): Shop._cache" + Unsaved)]
    [InlineData("if (Seen > 1) { }", "AMB123 Warning (9): Shop.Seen" + Unsaved)]
    [InlineData("if (_pattern.IsMatch(nameof(_queue)) && _flag) { }")]
    [InlineData("Console.WriteLine(item);",
        "AMB124 Warning (9): Console.WriteLine is executed again with its message after a crash; use Log, which is silent then")]
    [InlineData("Console.Out.Write(item);",
        "AMB124 Warning (9): Console.Out is executed again with its message after a crash; use Log, which is silent then")]
    [InlineData("Log.Equals(item);")]
    public async Task What_is_not_in_the_log_is_warned_about(string statement, params string[] expected) =>
        Assert.Equal(expected, await Handler(statement));

    [Fact]
    public async Task What_is_not_saved_is_for_code_outside_of_turns_and_for_queries() => Assert.Empty(await Handler(
        "",
        """
        public Shop() { _cache[1] = 2; }
            protected override void BecomingPrimary(ImmortalContext context) => Fill();
            private void Fill() => _queue.Writer.TryWrite(1);
            public override DurableTask<int> Peek() { Console.WriteLine(_cache.Count); return _cache[1]; }
        """));

    [Fact]
    public async Task What_OnRestore_brings_back_is_saved_after_all() => Assert.Empty(await Handler(
        "_cache[item] = 1;",
        """
        protected override void OnSave(System.Buffers.IBufferWriter<byte> output) { foreach (int key in _cache.Keys) { output.Write([(byte)key]); } }
            protected override void OnRestore(System.Buffers.ReadOnlySequence<byte> saved) => Load(saved.Length);
            private void Load(long length) => _cache[(int)length] = 1;
            public override DurableTask<int> Peek() => 1;
        """));

    [Theory]
    [InlineData("Outside.Seen.Add(item);", "AMB109 Error (9): Outside.Seen" + Static)]
    [InlineData("Outside.Map[item] = 1;", "AMB109 Error (9): Outside.Map" + Static)]
    [InlineData("_ = Outside.Map.ContainsKey(item);", "AMB109 Error (9): Outside.Map" + Static)]
    [InlineData("foreach (int each in Outside.Seen) { item += each; }", "AMB109 Error (9): Outside.Seen" + Static)]
    [InlineData("_ = Outside.Pending.TryDequeue(out item);", "AMB109 Error (9): Outside.Pending" + Static)]
    [InlineData("Outside.Outbox.Writer.TryWrite(item);", "AMB109 Error (9): Outside.Outbox" + Static)]
    [InlineData("Outside.Cells[0]++;", "AMB109 Error (9): Outside.Cells" + Static)]
    [InlineData("Array.Sort(Outside.Cells);", "AMB109 Error (9): Outside.Cells" + Static)]
    [InlineData("Interlocked.Increment(ref Outside.Count);", "AMB109 Error (9): Outside.Count" + Static)]
    [InlineData("Outside.One.Value = item;", "AMB109 Error (9): Outside.One" + Static)]
    [InlineData("s_own.Add(item);", "AMB109 Error (9): Shop.s_own" + Static)]
    [InlineData("_ = Outside.Changed[0];", "AMB109 Error (9): Outside.Changed" + Static)]
    [InlineData("_ = Outside.Table[1] + Outside.Filled[1] + Outside.Names.Length + Outside.Fixed[0];")]
    public async Task Static_collections_that_change_are_refused(string statement, params string[] expected) =>
        Assert.Equal(expected, await Handler(statement));

    [Theory]
    [InlineData("_ = new System.Net.Http.HttpClient();", "AMB101 Error (9): new HttpClient() " + Again + Effect)]
    [InlineData("_ = System.IO.File.ReadAllText(\"x\");", "AMB101 Error (9): File.ReadAllText " + Again + Effect)]
    [InlineData("_ = new System.IO.StreamReader(\"x\");", "AMB101 Error (9): new StreamReader() " + Again + Effect)]
    [InlineData("_ = new System.IO.StreamReader(new System.IO.MemoryStream());")]
    [InlineData("_ = new System.IO.FileStream(\"x\", System.IO.FileMode.Open);", "AMB101 Error (9): new FileStream() " + Again + Effect)]
    [InlineData("_ = new MyConnection().State;", "AMB101 Error (9): new MyConnection() " + Again + Effect,
        "AMB101 Error (9): MyConnection.State " + Again + Effect)]
    [InlineData("_ = LogTime.ToLocalTime();", "AMB101 Error (9): DateTimeOffset.ToLocalTime " + Again
        + "it depends on the time zone of the machine: name the zone, TimeZoneInfo.FindSystemTimeZoneById(…)")]
    [InlineData("_ = Task.FromResult(1).GetAwaiter().GetResult();",
        "AMB106 Error (9): TaskAwaiter.GetResult blocks the only thread of the immortal; await a DurableTask instead")]
    [InlineData("_ = Task.FromResult(1).ConfigureAwait(false).GetAwaiter().GetResult();",
        "AMB104 Error (9): ConfigureAwait leaves the immortal's thread; await a DurableTask without it",
        "AMB106 Error (9): ConfiguredTaskAwaiter.GetResult blocks the only thread of the immortal; await a DurableTask instead")]
    [InlineData("_ = new ValueTask<int>(1).Result;",
        "AMB106 Error (9): ValueTask.Result blocks the only thread of the immortal; await a DurableTask instead")]
    [InlineData("new ManualResetEvent(true).WaitOne();",
        "AMB106 Error (9): WaitHandle.WaitOne blocks the only thread of the immortal; await a DurableTask instead")]
    [InlineData("lock (_list) { _list.Add(item); }", "AMB106 Error (9): lock " + Lock)]
    [InlineData("Monitor.Enter(_list);", "AMB106 Error (9): Monitor.Enter " + Lock)]
    [InlineData("Outside.SaveAsync();", "AMB125 Error (9): Outside.SaveAsync" + Dropped)]
    [InlineData("_ = Outside.SaveAsync();", "AMB125 Error (9): Outside.SaveAsync" + Dropped)]
    [InlineData("Task saving = Outside.SaveAsync();", "AMB125 Error (9): Outside.SaveAsync" + Dropped)]
    [InlineData("Outside.Fire();", "AMB125 Error (9): Outside.Fire" + Dropped)]
    public async Task Work_outside_of_the_turn_is_refused(string statement, params string[] expected) =>
        Assert.Equal(expected, await Handler(statement));

    [Theory]
    [InlineData("private readonly System.Collections.Concurrent.ConcurrentDictionary<int, int> _map = new();",
        "AMB107 Error (11): Shop._map cannot be saved: ConcurrentDictionary cannot: turns are never concurrent, so a Dictionary does; "
        + "mark it [NotSaved] and set it anew in BecomingPrimary, or keep plain data")]
    [InlineData("private readonly List<System.Collections.Concurrent.ConcurrentQueue<int>> _map = new();",
        "AMB107 Error (11): Shop._map cannot be saved: ConcurrentQueue cannot: turns are never concurrent, so a Queue does; mark it "
        + "[NotSaved] and set it anew in BecomingPrimary, or keep plain data")]
    [InlineData("private System.Text.Json.JsonDocument? _json;",
        "AMB107 Error (11): Shop._json cannot be saved: JsonDocument cannot: it lives in memory that it rents; keep the text, or what you "
        + "read from it; mark it [NotSaved] and set it anew in BecomingPrimary, or keep plain data")]
    [InlineData("private System.Text.Json.JsonElement _json;",
        "AMB107 Error (11): Shop._json cannot be saved: JsonElement cannot: it points into a JsonDocument; keep its text, or what you "
        + "read from it; mark it [NotSaved] and set it anew in BecomingPrimary, or keep plain data")]
    [InlineData("private System.Text.RegularExpressions.Regex? _parts;",
        "AMB107 Error (11): Shop._parts cannot be saved: Regex cannot: only some classes of .NET can, and this is none of them; keep what "
        + "it stands for in types of your own; mark it [NotSaved] and set it anew in BecomingPrimary, or keep plain data")]
    [InlineData("private Stack? _stack;",
        "AMB107 Error (11): Shop._stack cannot be saved: Stack cannot: it derives from Stack, whose state cannot be read; hold one in a "
        + "field instead; mark it [NotSaved] and set it anew in BecomingPrimary, or keep plain data")]
    [InlineData("private readonly Dictionary<string, (int, DateOnly?)> _fine = []; private System.Numerics.BigInteger _sum; private "
        + "Version? _version; private StringComparer? _order; private Exception? _last; private ReadOnlyMemory<byte> _bytes; private "
        + "object? _any; private IEnumerable<int>? _some;")]
    public async Task A_field_that_cannot_be_saved_is_found_at_compile_time(string field, params string[] expected) => Assert.Equal(
        expected, await Handler("", field + " public override DurableTask<int> Peek() => 1;"));

    [Theory]
    [InlineData("using System.Text.Json.JsonDocument json = System.Text.Json.JsonDocument.Parse(\"1\"); await Delay(default);",
        "AMB108 Error (9): 'json' may be alive while the method waits, but JsonDocument cannot: it lives in memory that it rents; keep "
        + "the text, or what you read from it; use it in a method of its own that does not await")]
    [InlineData("System.Text.Json.JsonElement json = default; await Delay(default);",
        "AMB108 Error (9): 'json' may be alive while the method waits, but JsonElement cannot: it points into a JsonDocument; keep its "
        + "text, or what you read from it; use it in a method of its own that does not await")]
    [InlineData("System.Collections.Concurrent.ConcurrentQueue<int> queue = new(); await Delay(default);",
        "AMB108 Error (9): 'queue' may be alive while the method waits, but ConcurrentQueue cannot: turns are never concurrent, so a "
        + "Queue does; use it in a method of its own that does not await")]
    [InlineData("using (System.Text.Json.JsonDocument json = System.Text.Json.JsonDocument.Parse(\"1\")) { item = "
        + "json.RootElement.GetInt32(); }")]
    public async Task A_local_that_cannot_be_saved_is_found_where_the_method_awaits(string body, params string[] expected) =>
        Assert.Equal(expected, await Handler(body, returns: "async DurableTask"));

    private static Task<string[]> Handler(string body, string members = "public override DurableTask<int> Peek() => 1;",
        string returns = "DurableTask") => Analysis.RulesAsync(
        [
            $$"""
            using System.Threading.Channels; using System.Buffers;
            [ImmortalInterface] public interface IShop { void Sell(int item); [Query] int Peek(); }
            public class Shop : ShopBase { private static readonly List<int> s_own = []; private readonly List<int> _list = [];
                [NotSaved] private readonly Channel<int> _queue = Channel.CreateUnbounded<int>(); [NotSaved] private readonly Dictionary<int, int> _cache = [];
                [NotSaved] private int Seen { get; set; }
                [NotSaved] private readonly System.Text.RegularExpressions.Regex _pattern = new("a"); [NotSaved] private readonly bool _flag;
                public override {{returns}} Sell(int item)
                {
                    {{body}} {{(returns == "DurableTask" ? "return default;" : "")}}
                }
                {{members}}
            }
            """,
            """
            using System.Collections.Concurrent; using System.Threading.Channels;
            public class Box { public int Value; }
            public class Stack : Stack<int>;
            public class MyConnection : System.Net.WebClient { public int State => 1; }
            public static class Outside
            {
                public static readonly List<int> Seen = [];
                public static readonly Dictionary<int, int> Map = new(4);
                public static readonly ConcurrentQueue<int> Pending = new();
                public static readonly Channel<int> Outbox = Channel.CreateUnbounded<int>();
                public static readonly int[] Cells = new int[3];
                public static readonly Box One = new();
                public static int Count;
                public static readonly List<int> Changed = [1, 2];
                public static readonly Dictionary<int, int> Table = new() { [1] = 2 };
                public static readonly Dictionary<int, int> Filled = new();
                public static readonly string[] Names = ["a"];
                public static IReadOnlyList<int> Fixed { get; } = [1];
                static Outside() => Filled.Add(1, 2);
                public static void Learn() => Changed.Add(3);
                public static async Task SaveAsync() => await Task.Yield();
                public static async void Fire() => await Task.Yield();
            }
            """,
        ]);
}
