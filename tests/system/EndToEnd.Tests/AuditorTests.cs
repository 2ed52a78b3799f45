using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>An auditor that never complains proves nothing: each kind of damage is planted once.</summary>
public sealed class AuditorTests
{
    [Fact]
    public void A_faithful_state_has_no_violations() => Assert.Empty(Audit(static _ => { }));

    [Fact]
    public void A_lost_effect_is_found() => Assert.Contains(Audit(static state => state["n2"].Effects.Remove("a await")), static v =>
        v.StartsWith("lost", StringComparison.Ordinal));

    [Fact]
    public void A_repeated_effect_is_found() => Assert.Contains(Audit(static state => state["n2"].Effects["a await"] = 2), static v =>
        v.StartsWith("duplicated", StringComparison.Ordinal));

    [Fact]
    public void A_half_done_request_of_unknown_outcome_is_found() => Assert.Contains(
        Audit(static state => state["n2"].Effects.Remove("b fork")), static v => v.Contains("b fork", StringComparison.Ordinal));

    [Fact]
    public void A_request_of_unknown_outcome_that_never_happened_is_fine() => Assert.Empty(Audit(static state =>
    {
        state["n1"].Effects.Remove("b begun");
        state["n2"].Effects.Remove("b fork");
    }));

    [Fact]
    public void An_effect_that_nobody_asked_for_is_found() => Assert.Contains(Audit(static state => state["n1"].Effects["c begun"] = 1),
        static v => v.StartsWith("from nowhere", StringComparison.Ordinal));

    [Fact]
    public void A_message_that_did_not_arrive_is_found() => Assert.Contains(Audit(static state => state["n2"].Received["n1"] = 1),
        static v => v.Contains("received 1", StringComparison.Ordinal));

    [Fact]
    public void What_a_node_saw_itself_is_found() => Assert.Contains(Audit(static state =>
        state["n1"].Violations.Add("n2 sent 5, expected 4")), static v => v.Contains("expected 4", StringComparison.Ordinal));

    private static IReadOnlyList<string> Audit(Action<Dictionary<string, NodeReport>> damage)
    {
        var history = new History();
        Request answered = new("a", "n1", "n2", WorkKind.Await);
        history.Begin(answered);
        history.End(answered, "42");
        history.Begin(new Request("b", "n1", "n2", WorkKind.Fork) { Outcome = Outcome.Unknown });
        var state = new Dictionary<string, NodeReport>
        {
            ["n1"] = new() { FirstStarts = 1, Begun = 2, Ended = 2, Effects = new() { ["a begun"] = 1, ["b begun"] = 1 }, Sent = new()
                { ["n2"] = 2 } },
            ["n2"] = new() { FirstStarts = 1, Effects = new() { ["a await"] = 1, ["b fork"] = 1 }, Received = new() { ["n1"] = 2 } },
        };
        damage(state);
        return history.Audit(state);
    }
}
