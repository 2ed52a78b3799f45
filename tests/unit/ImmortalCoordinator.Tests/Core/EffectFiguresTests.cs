using Ambrosia.Coordinator.Operations;
using Ambrosia.CoordinatorHost.Metrics;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>What an app tells about its effects (docs/internals/effect-rules.md E23) is seen in status and metrics, while it is
/// attached.</summary>
public sealed class EffectFiguresTests
{
    private static readonly BindingHello s_hello = ScriptedApp.Hello with { Features = BindingFeatures.Effects };

    [Fact]
    public async Task Status_and_metrics_show_what_the_app_told_last_and_nothing_once_it_has_gone()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        using var metrics = new MetricsCollector();
        using var instruments = new CoordinatorMetrics("effects-bank", core.Status);
        await using (ScriptedApp app = await core.ConnectAppAsync())
        {
            await app.BecomePrimaryAsync(s_hello);
            await app.SayAsync(BindingMessageType.Effects, Told(pending: 7, asked: DateTime.UtcNow.AddHours(-1).Ticks).Write);
            await app.SayAsync(BindingMessageType.Effects, Told(pending: 2, asked: DateTime.UtcNow.AddHours(-1).Ticks, held: 1).Write);
            await Within.Until(() => core.Status.Snapshot().App.Effects is [{ Pending: 2 }]);
            EffectStatus effect = core.Status.Snapshot().App.Effects[0];
            Assert.Equal(("Shop.IPay.Charge", 1L, 1L, 5L, 3L, "17:3:0", "down"),
                (effect.Method, effect.Held, effect.Running, effect.Attempts, effect.Failures, effect.Oldest, effect.LastError));
            Assert.InRange(effect.OldestSeconds, 3599, 7200);
            string text = await metrics.RenderAsync();
            Assert.Contains("ambrosia_effects_pending{ambrosia_instance=\"effects-bank\",method=\"Shop.IPay.Charge\"} 2", text,
                StringComparison.Ordinal);
            Assert.Contains("ambrosia_effects_held{ambrosia_instance=\"effects-bank\",method=\"Shop.IPay.Charge\"} 1", text,
                StringComparison.Ordinal);
        }

        await Within.Until(() => core.Status.Snapshot().App.Effects.Count == 0);
        string later = await metrics.RenderAsync();
        Assert.DoesNotContain("method=\"Shop.IPay.Charge\"", later, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_app_that_does_not_act_tells_of_no_effects()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.StartFirstAsync(s_hello);
        await Assert.ThrowsAnyAsync<IOException>(async () =>
        {
            await app.SayAsync(BindingMessageType.Effects, Told(1, 1).Write);
            await app.HearAsync(BindingMessageType.Goodbye);
        });
        Assert.Empty(core.Status.Snapshot().App.Effects);
    }

    [Fact]
    public void A_text_of_an_app_acts_on_no_terminal()
    {
        Assert.Equal(" [31mred ", EffectMethodTold.Clean("\u001b[31mred\n"));
        Assert.Equal(EffectMethodTold.MaxBytes / 4, EffectMethodTold.Clean(new string('\u20AC', 5000)).Length);
        var data = new System.Buffers.ArrayBufferWriter<byte>();
        new EffectsTold([new EffectMethodTold("a\u001b", 0, 0, 0, 0, "", 0, "", 0)]).Write(data);
        Assert.Throws<ProtocolException>(() => EffectsTold.Read(data.WrittenSpan));
    }

    private static EffectsTold Told(long pending, long asked, long held = 0) =>
        new([new EffectMethodTold("Shop.IPay.Charge", pending, 1, 5, 3, "17:3:0", asked, "down", held)]);
}
