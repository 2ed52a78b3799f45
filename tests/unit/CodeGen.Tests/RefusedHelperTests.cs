using Ambrosia.CodeGen.Tests.Support;

namespace Ambrosia.CodeGen.Tests;

/// <summary>What a handler does through others: methods of the same program that it calls, one or two levels deep.</summary>
public sealed class RefusedHelperTests
{
    private const string Again = "gives another result when the message is executed again after a crash";

    [Theory]
    [InlineData("Tools.Now();", "AMB101 Error (9): DateTime.UtcNow (through Tools.Now, File2.cs line 4) " + Again
        + "; use LogTime in the handler, and pass the value on")]
    [InlineData("Tools.Deep();", "AMB101 Error (9): DateTime.UtcNow (through Tools.Deep → Tools.Now, File2.cs line 4) " + Again
        + "; use LogTime in the handler, and pass the value on")]
    [InlineData("_ = Tools.Today;", "AMB101 Error (9): DateTime.Today (through Tools.Today, File2.cs line 6) " + Again
        + "; use LogTime in the handler, and pass the value on")]
    [InlineData("_ = Tools.Stamp;", "AMB101 Error (9): Stopwatch.GetTimestamp (through Tools.Stamp, File2.cs line 7) " + Again
        + "; use LogTime in the handler, and pass the value on")]
    [InlineData("_ = new Order();", "AMB101 Error (9): Guid.NewGuid (through new Order(), File2.cs line 31) " + Again
        + "; use NewGuid() in the handler, and pass the value on")]
    [InlineData("_ = new Receipt(1);", "AMB101 Error (9): Guid.NewGuid (through new Receipt(), File2.cs line 32) " + Again
        + "; use NewGuid() in the handler, and pass the value on")]
    [InlineData("_ = Tools.Started;", "AMB101 Error (9): DateTime.Now (through Tools.Started, File2.cs line 8) " + Again
        + "; use LogTime in the handler, and pass the value on")]
    [InlineData("1.Twist();", "AMB101 Error (9): Random.Shared (through Tools.Twist, File2.cs line 9) " + Again
        + "; use Random in the handler, and pass the value on")]
    [InlineData("_ = new Amount(1) + new Amount(2);",
        "AMB101 Error (9): Environment.TickCount (through Amount.op_Addition, File2.cs line 36) " + Again
        + "; use LogTime in the handler, and pass the value on")]
    [InlineData("_ = Enumerable.Range(0, 3).Select(Tools.Twist).Count();",
        "AMB101 Error (9): Random.Shared (through Tools.Twist, File2.cs line 9) " + Again
        + "; use Random in the handler, and pass the value on")]
    [InlineData("Tools.InLocal();", "AMB101 Error (9): DateTimeOffset.UtcNow (through Tools.InLocal, File2.cs line 12) " + Again
        + "; use LogTime in the handler, and pass the value on")]
    [InlineData("Tools.InLambda();", "AMB101 Error (9): Guid.NewGuid (through Tools.InLambda, File2.cs line 16) " + Again
        + "; use NewGuid() in the handler, and pass the value on")]
    [InlineData("Func<int> later = () => { Tools.Now(); return 1; }; _ = later();",
        "AMB101 Error (9): DateTime.UtcNow (through Tools.Now, File2.cs line 4) " + Again
        + "; use LogTime in the handler, and pass the value on")]
    [InlineData("void Later() => Tools.Now(); Later();", "AMB101 Error (9): DateTime.UtcNow (through Tools.Now, File2.cs line 4) " + Again
        + "; use LogTime in the handler, and pass the value on")]
    [InlineData("Tools.Rest();",
        "AMB106 Error (9): Thread.Sleep (through Tools.Rest, File2.cs line 17) blocks the only thread of the immortal; use await Delay(…)")]
    [InlineData("Tools.Fetch();",
        "AMB106 Error (9): Task.Result (through Tools.Fetch, File2.cs line 18) blocks the only thread of the immortal; await a "
        + "DurableTask instead")]
    [InlineData("Tools.Forget();",
        "AMB105 Error (9): Task.Run (through Tools.Forget, File2.cs line 19) runs code outside of the message being executed, where "
        + "nothing is logged; use a DurableTask: This.…Async to do it in a later message, Delay(…) to wait")]
    [InlineData("Tools.Print();",
        "AMB124 Warning (9): Console.WriteLine (through Tools.Print, File2.cs line 20) is executed again with its message after a crash; "
        + "use Log, which is silent then")]
    [InlineData("Tools.Count();",
        "AMB109 Error (9): Tools.Total (through Tools.Count, File2.cs line 21) is static and can change, so it is neither saved nor "
        + "rebuilt after a crash; make it an instance field")]
    [InlineData("Tools.TooDeep();")]
    [InlineData("Tools.Reviewed();")]
    [InlineData("_ = Tools.Pure(\"a b\");")]
    [InlineData("_ = new CardService().Rate();")]
    public async Task A_helper_is_followed(string statement, params string[] expected) =>
        Assert.Equal(expected, await Shop($"{statement} return default;"));

    [Fact]
    public async Task A_helper_of_code_outside_of_turns_may_do_what_it_likes() => Assert.Empty(await Shop(
        "return default;",
        """
        protected override void BecomingPrimary(ImmortalContext context) { Tools.Now(); Own(); }
            private void Own() { Tools.Deep(); Tools.Rest(); Tools.Print(); Tools.Fetch(); Tools.Count(); }
            public override DurableTask<int> Peek() { Tools.Print(); return Read(); }
            private int Read() { Tools.Now(); return 1; }
        """));

    [Fact]
    public async Task A_helper_of_queries_and_handlers_is_a_helper_of_handlers() => Assert.Equal(
        ["AMB101 Error (12): DateTime.UtcNow (through Tools.Now, File2.cs line 4) " + Again
            + "; use LogTime in the handler, and pass the value on"],
        await Shop(
            "Read(); return default;",
            """

                public override DurableTask<int> Peek() => Read();
                private int Read() { Tools.Now(); return 1; }
            """));

    private static Task<string[]> Shop(string body, string members = "public override DurableTask<int> Peek() => 1;") =>
        Analysis.RulesAsync(
        [
            $$"""
            [AttributeUsage(AttributeTargets.All)] public sealed class Marker : Attribute;


            [ImmortalInterface] public interface IShop { void Sell(int item); [Query] int Peek(); }


            public class Shop : ShopBase
            { public override DurableTask Sell(int item) {
                {{body}} }
            {{members}}
            }
            """,
            """
            using System.Diagnostics.CodeAnalysis;
            public static class Tools
            {
                public static void Now() => _ = DateTime.UtcNow;
                public static void Deep() { if (Total == 0) { Now(); } }
                public static DateTime Today => DateTime.Today;
                public static long Stamp { get { return System.Diagnostics.Stopwatch.GetTimestamp(); } }
                public static readonly DateTime Started = DateTime.Now;
                public static int Twist(this int seed) => Random.Shared.Next(seed);
                public static void InLocal()
                {
                    DateTimeOffset Local() => DateTimeOffset.UtcNow;
                    _ = Local();
                }
                public static void InLambda() =>
                    Enumerable.Range(0, 3).Select(_ => Guid.NewGuid()).Count();
                public static void Rest() => Thread.Sleep(1);
                public static int Fetch() => Task.FromResult(1).Result;
                public static void Forget() => Task.Run(() => 1);
                public static void Print() => Console.WriteLine("sold");
                public static void Count() => Total++;
                public static int Total;
                public static void TooDeep() { Deep(); static void Deep() => Tools.Deepest(); }
                private static void Deepest() => Tools.Deep();
                [SuppressMessage("Ambrosia", "AMB101", Justification = "It is for people only.")]
                public static void Reviewed() => _ = DateTime.UtcNow;
                public static string Pure(string text) => string.Join(",", text.Split(' ').OrderBy(t => t, StringComparer.Ordinal)) + Math.Max(1, 2) + new DateTime(2026, 1, 1);
            }
            [EffectInterface] public interface IPayments { Task<int> Charge(EffectContext effect); }
            public class CardService : IPayments { public Task<int> Charge(EffectContext effect) => Task.FromResult(Rate()); public int Rate() => Environment.TickCount; }
            public class Order { public Guid Id { get; } = Guid.NewGuid(); }
            public class Receipt(int number) { public int Number { get; } = number; public Guid Id { get; } = Guid.NewGuid(); }
            public readonly struct Amount(int cents)
            {
                public int Cents => cents;
                public static Amount operator +(Amount a, Amount b) => new(a.Cents + b.Cents + Environment.TickCount);
            }
            """,
        ]);
}
