using Ambrosia.CodeGen.Tests.Support;

namespace Ambrosia.CodeGen.Tests;

/// <summary>What an editor offers for a finding, and that the result compiles.</summary>
public sealed class FixTests
{
    [Theory]
    [InlineData("_ = {|AMB101:DateTime.Now|};", "Use LogTime.UtcDateTime", "_ = LogTime.UtcDateTime;")]
    [InlineData("_ = {|AMB101:System.DateTime.UtcNow|}.Year;", "Use LogTime.UtcDateTime", "_ = LogTime.UtcDateTime.Year;")]
    [InlineData("_ = {|AMB101:DateTime.Today|};", "Use LogTime.UtcDateTime.Date", "_ = LogTime.UtcDateTime.Date;")]
    [InlineData("_ = {|AMB101:DateTimeOffset.UtcNow|};", "Use LogTime", "_ = LogTime;")]
    [InlineData(
        "long a = {|AMB101:Environment.TickCount64|};", "Use LogTime.ToUnixTimeMilliseconds()",
        "long a = LogTime.ToUnixTimeMilliseconds();")]
    [InlineData("_ = {|AMB101:Guid.NewGuid()|};", "Use NewGuid()", "_ = NewGuid();")]
    [InlineData("Func<Guid> make = {|AMB101:Guid.NewGuid|};", "Use NewGuid()", "Func<Guid> make = NewGuid;")]
    [InlineData("_ = {|AMB101:Random.Shared|}.Next();", "Use Random", "_ = Random.Next();")]
    [InlineData("_ = {|AMB101:System.Random.Shared|}.Next();", "Use Random", "_ = Random.Next();")]
    [InlineData("_ = {|AMB101:new Random()|}.Next(3);", "Use Random", "_ = Random.Next(3);")]
    [InlineData(
        "await Delay(default); await {|AMB104:Task.CompletedTask.ConfigureAwait(false)|};", "Remove ConfigureAwait",
        "await Delay(default); {|AMB102:await Task.CompletedTask|};")]
    [InlineData("{|AMB102:await {|AMB105:Task.Delay(5)|}|};", "Use Delay(…)", "await Delay(TimeSpan.FromMilliseconds(5));")]
    [InlineData("{|AMB102:await {|AMB105:Task.Delay(TimeSpan.FromHours(1))|}|};", "Use Delay(…)", "await Delay(TimeSpan.FromHours(1));")]
    [InlineData(
        "await Delay(default); {|AMB106:Thread.Sleep(5)|};", "Use await Delay(…)",
        "await Delay(default); await Delay(TimeSpan.FromMilliseconds(5));")]
    [InlineData("{|AMB106:lock|} (_list) { int a = 1; _list.Add(a); }", "Remove the lock", "{ int a = 1; _list.Add(a); }")]
    [InlineData("if (item > 1) {|AMB106:lock|} (_list) _list.Add(1);", "Remove the lock", "if (item > 1) _list.Add(1);")]
    [InlineData("{|AMB113:This.SellAsync(1)|};", "Send it without waiting: SellFork", "This.SellFork(1);")]
    [InlineData("await Delay(default); {|AMB113:This.SellAsync(1)|};", "Await it", "await Delay(default); await This.SellAsync(1);")]
    [InlineData(
        "foreach (int each in {|AMB116:_list|}) { await Delay(default); }", "Enumerate a copy",
        "foreach (int each in _list.ToArray()) { await Delay(default); }")]
    [InlineData("{|AMB120:This.TickImpulse()|};", "Send it without waiting: TickFork", "This.TickFork();")]
    [InlineData("{|AMB124:Console.WriteLine(\"sold {it}\")|};", "Write it to Log", "Log.LogInformation(\"sold {{it}}\");")]
    [InlineData("{|AMB124:Console.WriteLine($\"sold {item}\")|};", "Write it to Log", "Log.LogInformation(\"{Text}\", $\"sold {item}\");")]
    // All of a kind at once, as "fix all" does.
    [InlineData(
        "_ = {|AMB101:DateTime.Now|} - {|AMB101:DateTime.UtcNow|};", "Use LogTime.UtcDateTime",
        "_ = LogTime.UtcDateTime - LogTime.UtcDateTime;")]
    [InlineData(
        "{|AMB102:await {|AMB105:Task.Delay(5)|}|};\n        {|AMB102:await {|AMB105:Task.Delay(6)|}|};", "Use Delay(…)",
        "await Delay(TimeSpan.FromMilliseconds(5));\n        await Delay(TimeSpan.FromMilliseconds(6));")]
    public async Task A_handler_is_mended(string statement, string title, string mended) =>
        await Fixing.MendsAsync(Shop(statement, ""), title, Shop(mended, ""));

    [Theory]
    [InlineData("_ = {|AMB101:System.IO.File.Exists(\"a\")|};")]
    [InlineData("_ = {|AMB101:Clock.Now()|};")]
    [InlineData("void Rest() => {|AMB106:Thread.Sleep(5)|}; Rest(); await Delay(default);")]
    [InlineData("{|AMB124:Console.Write(1)|};")]
    public async Task What_has_no_one_mend_is_left(string statement) => await Fixing.OffersNothingAsync(Shop(statement, ""));

    [Fact]
    public async Task The_statements_under_a_lock_stay() => await Fixing.MendsAsync(
        Shop("{|AMB106:lock|} (_list)\n        {\n            _list.Add(1);\n            _list.Add(2);\n        }", ""),
        "Remove the lock",
        Shop("_list.Add(1);\n        _list.Add(2);", ""));

    [Theory]
    [InlineData(
        "private readonly System.Collections.Concurrent.ConcurrentDictionary<int, string> {|AMB107:_map|} = new();", "Use a Dictionary",
        "private readonly System.Collections.Generic.Dictionary<int, string> _map = new();")]
    [InlineData(
        "private readonly ConcurrentQueue<int> {|AMB107:_map|} = new ConcurrentQueue<int>();", "Use a Queue",
        "private readonly Queue<int> _map = new Queue<int>();")]
    [InlineData("private ConcurrentBag<int> {|AMB107:Map|} { get; } = [];", "Use a List", "private List<int> Map { get; } = [];")]
    [InlineData(
        "private System.IO.Stream? {|AMB107:_file|};", "Mark it [NotSaved], and set it in BecomingPrimary",
        "[NotSaved]\n    private System.IO.Stream? _file;")]
    public async Task A_field_is_mended(string field, string title, string mended) =>
        await Fixing.MendsAsync(Shop("", field), title, Shop("", mended));

    private static string Shop(string statement, string member)
    {
        bool isAsync = statement.Contains("await", StringComparison.Ordinal);
        return $$"""
            using System.Collections.Concurrent;
            using Microsoft.Extensions.Logging;
            [ImmortalInterface] public interface IShop { void Sell(int item); [Impulse] void Tick(); }
            public static class Clock { public static DateTime Now() => DateTime.Now; }
            public class Shop : ShopBase
            {
                private readonly List<int> _list = [];
                {{member}}
                public override {{(isAsync ? "async DurableTask" : "DurableTask")}} Sell(int item)
                {
                    {{statement}}
                    {{(isAsync ? "" : "return default;")}}
                }
                public override DurableTask Tick() => default;
            }
            """;
    }
}
