using Ambrosia.CodeGen.Tests.Support;

namespace Ambrosia.CodeGen.Tests;

/// <summary>How effects are asked for, and what the classes that perform them may hold.</summary>
public sealed class EffectUseTests
{
    private const string Performer = "CardService performs effects, outside of turns, and ";
    private const string Advice =
        " is an immortal, whose state belongs to its turns; pass what the effect needs as arguments, or send an impulse through a proxy";

    [Fact]
    public async Task An_effect_that_is_dropped_has_a_form_without_waiting() => Assert.Equal(
        ["AMB113 Error (6): The result of ChargeAsync is dropped and so are its errors; await it, or ask for it without waiting "
            + "with ChargeFork"],
        await Shop("Effects<PaymentsEffects>().ChargeAsync(5);", "return 1;", ""));

    [Fact]
    public async Task A_query_asks_for_no_effect() => Assert.Equal(
        ["AMB122 Error (7): Peek is a query, which only reads, and calls Effects; leave [Query] away, or do without"],
        await Shop("", "Effects<PaymentsEffects>().ChargeFork(5); return 1;", ""));

    [Theory]
    [InlineData("public Shop? Owner { get; set; }", "AMB126 Error (12): " + Performer + "Owner" + Advice)]
    [InlineData("private Immortal? _owner;", "AMB126 Error (12): " + Performer + "_owner" + Advice)]
    [InlineData("public void Learn(Shop owner) { }", "AMB126 Error (12): " + Performer + "owner" + Advice)]
    [InlineData("public ShopProxy? Back { get; set; } private int _sent; public int Sent => _sent++ + Environment.TickCount;")]
    public async Task A_class_that_performs_effects_holds_no_immortal(string member, params string[] expected) =>
        Assert.Equal(expected, await Shop("Effects<PaymentsEffects>().ChargeFork(5);", "return 1;", member));

    private static Task<string[]> Shop(string sell, string peek, string member) => Analysis.RulesAsync(
        [
            $$"""
            [ImmortalInterface] public interface IShop { void Sell(int item); [Query] int Peek(); }
            [EffectInterface] public interface IPayments { Task<int> Charge(int amount, EffectContext effect); }
            public class Shop : ShopBase
            {
                public override DurableTask Sell(int item) {
                    {{sell}} return default; }
                public override DurableTask<int> Peek() { {{peek}} }
            }
            public class CardService : IPayments
            {
                public async Task<int> Charge(int amount, EffectContext effect) { await Task.Delay(amount); return DateTime.Now.Year; }
                {{member}}
            }
            """,
        ]);
}
