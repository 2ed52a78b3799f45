using Ambrosia.CodeGen.Tests.Support;

namespace Ambrosia.CodeGen.Tests;

/// <summary>What an editor offers for a finding, and that the result compiles.</summary>
public sealed class FixTests
{
    [Theory]
    [InlineData("AMB101", "_ = DateTime.Now;", "Use LogTime.UtcDateTime", "_ = LogTime.UtcDateTime;")]
    [InlineData("AMB101", "_ = System.DateTime.UtcNow.Year;", "Use LogTime.UtcDateTime", "_ = LogTime.UtcDateTime.Year;")]
    [InlineData("AMB101", "_ = DateTime.Today;", "Use LogTime.UtcDateTime.Date", "_ = LogTime.UtcDateTime.Date;")]
    [InlineData("AMB101", "_ = DateTimeOffset.UtcNow;", "Use LogTime", "_ = LogTime;")]
    [InlineData("AMB101", "long a = Environment.TickCount64;", "Use LogTime.ToUnixTimeMilliseconds()", "long a = LogTime.ToUnixTimeMilliseconds();")]
    [InlineData("AMB101", "_ = Guid.NewGuid();", "Use NewGuid()", "_ = NewGuid();")]
    [InlineData("AMB101", "Func<Guid> make = Guid.NewGuid;", "Use NewGuid()", "Func<Guid> make = NewGuid;")]
    [InlineData("AMB101", "_ = Random.Shared.Next();", "Use Random", "_ = Random.Next();")]
    [InlineData("AMB101", "_ = System.Random.Shared.Next();", "Use Random", "_ = Random.Next();")]
    [InlineData("AMB101", "_ = new Random().Next(3);", "Use Random", "_ = Random.Next(3);")]
    [InlineData("AMB101", "_ = System.IO.File.Exists(\"a\");", null, "")]
    [InlineData("AMB101", "_ = Clock.Now();", null, "")]
    [InlineData("AMB104", "await Delay(default); await Task.CompletedTask.ConfigureAwait(false);", "Remove ConfigureAwait", "await Task.CompletedTask;")]
    [InlineData("AMB105", "await Task.Delay(5);", "Use Delay(…)", "await Delay(TimeSpan.FromMilliseconds(5));")]
    [InlineData("AMB105", "await Task.Delay(TimeSpan.FromHours(1));", "Use Delay(…)", "await Delay(TimeSpan.FromHours(1));")]
    [InlineData("AMB106", "await Delay(default); Thread.Sleep(5);", "Use await Delay(…)", "await Delay(TimeSpan.FromMilliseconds(5));")]
    [InlineData("AMB106", "void Rest() => Thread.Sleep(5); Rest(); await Delay(default);", null, "")]
    [InlineData("AMB106", "lock (_list)\n        {\n            _list.Add(1);\n            _list.Add(2);\n        }", "Remove the lock", "        _list.Add(1);\n        _list.Add(2);\n")]
    [InlineData("AMB106", "lock (_list) { int a = 1; _list.Add(a); }", "Remove the lock", "{ int a = 1; _list.Add(a); }")]
    [InlineData("AMB106", "if (item > 1) lock (_list) _list.Add(1);", "Remove the lock", "if (item > 1) _list.Add(1);")]
    [InlineData("AMB113", "This.SellAsync(1);", "Send it without waiting: SellFork", "This.SellFork(1);")]
    [InlineData("AMB113", "await Delay(default); This.SellAsync(1);", "Await it", "await This.SellAsync(1);")]
    [InlineData("AMB116", "foreach (int each in _list) { await Delay(default); }", "Enumerate a copy", "foreach (int each in _list.ToArray())")]
    [InlineData("AMB120", "This.TickImpulse();", "Send it without waiting: TickFork", "This.TickFork();")]
    [InlineData("AMB124", "Console.WriteLine(\"sold {it}\");", "Write it to Log", "Log.LogInformation(\"sold {{it}}\");")]
    [InlineData("AMB124", "Console.WriteLine($\"sold {item}\");", "Write it to Log", "Log.LogInformation(\"{Text}\", $\"sold {item}\");")]
    [InlineData("AMB124", "Console.Write(1);", null, "")]
    public async Task A_handler_is_mended(string rule, string statement, string? title, string expected) =>
        await MendAsync(rule, statement, "", title, expected);

    [Theory]
    [InlineData("private readonly System.Collections.Concurrent.ConcurrentDictionary<int, string> _map = new();", "Use a Dictionary",
        "private readonly System.Collections.Generic.Dictionary<int, string> _map = new();")]
    [InlineData("private readonly ConcurrentQueue<int> _map = new ConcurrentQueue<int>();", "Use a Queue", "private readonly Queue<int> _map = new Queue<int>();")]
    [InlineData("private ConcurrentBag<int> Map { get; } = [];", "Use a List", "private List<int> Map { get; } = [];")]
    [InlineData("private System.IO.Stream? _file;", "Mark it [NotSaved], and set it in BecomingPrimary", "[NotSaved]\n    private System.IO.Stream? _file;")]
    public async Task A_field_is_mended(string field, string title, string expected) => await MendAsync("AMB107", "", field, title, expected);

    private static async Task MendAsync(string rule, string statement, string member, string? title, string expected)
    {
        string returns = statement.Contains("await", StringComparison.Ordinal) ? "async DurableTask" : "DurableTask";
        Dictionary<string, string> offers = await Fixing.OffersAsync(
            $$"""
            using System.Collections.Concurrent;
            [ImmortalInterface] public interface IShop { void Sell(int item); [Impulse] void Tick(); }
            public static class Clock { public static DateTime Now() => DateTime.Now; }
            public class Shop : ShopBase
            {
                private readonly List<int> _list = [];
                {{member}}
                public override {{returns}} Sell(int item)
                {
                    {{statement}}
                    {{(returns == "DurableTask" ? "return default;" : "")}}
                }
                public override DurableTask Tick() => default;
            }
            """,
            rule);
        if (title is null)
        {
            Assert.Empty(offers);
        }
        else
        {
            Assert.Contains(expected, offers[title].Replace("\r", "", StringComparison.Ordinal), StringComparison.Ordinal);
        }
    }
}
