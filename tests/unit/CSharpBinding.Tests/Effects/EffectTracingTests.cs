using System.Collections.Concurrent;
using System.Diagnostics;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.Effects;

/// <summary>E23: a span for each attempt, for those that listen.</summary>
[Collection(nameof(Payer))]
public sealed class EffectTracingTests : IDisposable
{
    private static readonly TimeSpan s_patience = Patience.Time;
    private readonly Till _till = new();
    private readonly ConcurrentQueue<Activity> _spans = new();
    private readonly ImmortalOptions _options = new() { InstanceName = ScriptedCoordinator.Instance };
    private ActivityListener? _listener;

    public EffectTracingTests()
    {
        PayEffects.IsGone = false;
        Payer.Surcharge = 0;
        PayEffects.Policy = PayEffects.Quick;
        _options.UseEffects<IPay>(_ => _till);
    }

    [Fact]
    public async Task Each_attempt_is_a_span_that_says_whose_it_is_and_how_it_ended()
    {
        Listen();
        int calls = 0;
        _till.Act = _ => ++calls == 1 ? throw new IOException("down") : Task.CompletedTask;
        await using ScriptedCoordinator coordinator = await StartAsync();
        await coordinator.DeliverAsync(PayMessages.Of(1, 5));
        ulong lsn = coordinator.Log[^1].Lsn;
        await UntilSpansAsync(2);

        Activity[] spans = [.. _spans];
        Assert.Equal(["retried", "done"], spans.Select(static span => span.GetTagItem("ambrosia.effect.outcome")));
        Assert.Equal([1, 2], spans.Select(static span => span.GetTagItem("ambrosia.effect.attempt")));
        Assert.All(spans, span =>
        {
            Assert.Equal("effect Ambrosia.CSharpBinding.Tests.Effects.IPay.Charge", span.DisplayName);
            Assert.Equal("Ambrosia.CSharpBinding.Tests.Effects.IPay.Charge", span.GetTagItem("ambrosia.effect"));
            Assert.Equal(ScriptedCoordinator.Instance, span.GetTagItem("ambrosia.instance"));
            Assert.EndsWith($"/{lsn}:0:0", (string?)span.GetTagItem("ambrosia.effect.id"), StringComparison.Ordinal);
        });
        Assert.Equal((ActivityStatusCode.Error, "down"), (spans[0].Status, spans[0].StatusDescription));
        Assert.Equal("System.IO.IOException", spans[0].GetTagItem("error.type"));
        Assert.Equal(ActivityStatusCode.Unset, spans[1].Status);
    }

    [Fact]
    public async Task An_attempt_whose_exception_is_the_outcome_has_failed()
    {
        Listen();
        _till.Act = static _ => throw new InvalidOperationException("no such card");
        await using ScriptedCoordinator coordinator = await StartAsync();
        await coordinator.DeliverAsync(PayMessages.Of(1, 5));
        await UntilSpansAsync(1);
        Assert.Equal("failed", _spans.Single().GetTagItem("ambrosia.effect.outcome"));
        Assert.Equal("no such card", _spans.Single().StatusDescription);
    }

    [Fact]
    public async Task An_attempt_that_ends_with_its_process_has_no_outcome_and_is_no_error()
    {
        Listen();
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _till.Act = async effect =>
        {
            begun.SetResult();
            await Task.Delay(Timeout.Infinite, effect.Cancellation);
        };
        await using (ScriptedCoordinator coordinator = await StartAsync())
        {
            await coordinator.DeliverAsync(PayMessages.Of(1, 5));
            await begun.Task.WaitAsync(s_patience);
        }

        await UntilSpansAsync(1);
        Activity span = Assert.Single(_spans);
        Assert.Equal("withdrawn", span.GetTagItem("ambrosia.effect.outcome"));
        Assert.Equal(ActivityStatusCode.Unset, span.Status);
    }

    [Fact] // Spans of an HTTP client hang below it.
    public async Task The_class_works_within_the_span_of_its_attempt()
    {
        Listen();
        Activity? within = null;
        _till.Act = async _ =>
        {
            await Task.Yield();
            within = Activity.Current;
        };
        await using ScriptedCoordinator coordinator = await StartAsync();
        await coordinator.DeliverAsync(PayMessages.Of(1, 5));
        await UntilSpansAsync(1);
        Assert.Same(_spans.Single(), within);
    }

    [Fact]
    public async Task Nothing_is_made_when_nobody_listens()
    {
        Activity? within = new("planted");
        _till.Act = _ =>
        {
            within = Activity.Current;
            return Task.CompletedTask;
        };
        await using ScriptedCoordinator coordinator = await StartAsync();
        await coordinator.DeliverAsync(PayMessages.Of(1, 5));
        await coordinator.UntilAsync(() => coordinator.Impulses.Count == 1, "outcome");
        Assert.Null(within);

        var effect = new PendingEffect(new EffectKey(90, 0, 0), new PayEffects(), 1, [0x91, 1], 1, null);
        var running = new RunningEffect(effect, TimeSpan.Zero, 0);
        Assert.Null(EffectTracing.Begin(running, "shop", Guid.Empty));
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1000; i++)
        {
            EffectTracing.End(EffectTracing.Begin(running, "shop", Guid.Empty), EffectTracing.Done);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }

    public void Dispose()
    {
        PayEffects.Policy = PayEffects.Quick;
        _listener?.Dispose();
    }

    // A span ends after the outcome was sent: nothing that the coordinator hears comes later.
    private async Task UntilSpansAsync(int count)
    {
        for (long since = Stopwatch.GetTimestamp(); _spans.Count < count && Stopwatch.GetElapsedTime(since) < s_patience;)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(5));
        }

        Assert.Equal(count, _spans.Count);
    }

    private void Listen()
    {
        _listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Ambrosia.Effects",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = _spans.Enqueue,
        };
        ActivitySource.AddActivityListener(_listener);
    }

    private async Task<ScriptedCoordinator> StartAsync()
    {
        var coordinator = new ScriptedCoordinator(static () => new Payer(), _options);
        await coordinator.StartFirstAsync();
        return coordinator;
    }
}
