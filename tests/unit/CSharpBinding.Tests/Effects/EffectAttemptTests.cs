using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.Effects;

/// <summary>How attempts begin, end and are told of (docs/guide/effects.md), on real threads.</summary>
[Collection(nameof(Payer))]
public sealed class EffectAttemptTests : IDisposable
{
    private static readonly TimeSpan s_patience = Patience.Time;
    private readonly Till _till = new();
    private readonly LineLogger _log = new();
    private readonly LeapClock _clock = new();
    private readonly ImmortalOptions _options = new() { InstanceName = ScriptedCoordinator.Instance };

    public EffectAttemptTests()
    {
        PayEffects.IsGone = false;
        Payer.Surcharge = 0;
        PayEffects.Policy = PayEffects.Quick;
        _options.UseEffects<IPay>(_ => _till);
    }

    [Fact]
    public async Task An_attempt_that_fails_after_its_time_is_over_leaves_no_negative_pause()
    {
        PayEffects.Policy = PayEffects.Quick with { WithinTicks = 60 * TimeSpan.TicksPerSecond };
        _till.Act = _ =>
        {
            _clock.Leap(TimeSpan.FromSeconds(61)); // A timer may tell late.
            throw new IOException("down");
        };
        await using ScriptedCoordinator coordinator = await StartAsync();
        await coordinator.DeliverAsync(Pay(5));
        await UntilSeenAsync(coordinator, "TimeoutException");
        Assert.Single(_till.Charged);
    }

    [Fact] // E9: one that is told of neither ends nor begins.
    public async Task An_effect_that_has_ended_before_the_link_took_its_turn_is_not_begun()
    {
        await using ScriptedCoordinator coordinator = await StartAsync();
        ImmortalRuntime runtime = coordinator.Immortal!.Runtime;
        using var runner = new EffectRunner(runtime, new RuntimeSettings { Logger = _log });
        var ended = new PendingEffect(new EffectKey(90, 0, 0), new PayEffects(), 1, [0x91, 1], 1, null);
        var open = new PendingEffect(new EffectKey(90, 0, 1), new PayEffects(), 1, [0x91, 1], 1, null);
        ended.Forget();
        runner.Begin([ended, open], DateTimeOffset.UnixEpoch);
        Assert.Equal(1, runner.Begun);
    }

    [Fact]
    public async Task Without_a_class_effects_stay_pending_and_one_warning_says_so()
    {
        bool isThere = false;
        _options.UseEffects<IPay>(_ => isThere ? _till : throw new InvalidOperationException("no till yet."));
        await using ScriptedCoordinator coordinator = await StartAsync();
        coordinator.LogsSelfMessages = false;
        await coordinator.DeliverAsync(Fork(8));
        await coordinator.UntilAsync(
            () => coordinator.Told.Count > 0 && coordinator.Told[^1].Methods[0] is { Pending: 8, Attempts: >= 24 }, "attempts");
        Assert.Equal(1, _log.CountContaining("What performs the effects of Ambrosia.CSharpBinding.Tests.Effects.IPay cannot be made"));
        Assert.Equal(0, _log.CountContaining("is tried again"));
        Assert.Contains("no till yet", coordinator.Told[^1].Methods[0].LastError, StringComparison.Ordinal);
        isThere = true;
        await coordinator.UntilAsync(() => coordinator.Impulses.Count == 8, "outcomes");
    }

    [Fact] // E23
    public async Task The_coordinator_is_told_what_is_pending_how_often_it_was_tried_and_why_it_failed()
    {
        bool fails = true;
        _till.Act = _ => Volatile.Read(ref fails) ? throw new IOException("the till\nis out") : Task.CompletedTask;
        await using ScriptedCoordinator coordinator = await StartAsync();
        await coordinator.DeliverAsync(Pay(5));
        ulong lsn = coordinator.Log[^1].Lsn;
        await coordinator.UntilAsync(() => coordinator.Told.Exists(static told => told.Methods[0].Failures > 1), "failures");
        EffectMethodTold told = coordinator.Told[^1].Methods[0];
        Assert.Equal("Ambrosia.CSharpBinding.Tests.Effects.IPay.Charge", told.Method);
        Assert.Equal((1, $"{lsn}:0:0", coordinator.Now), (told.Pending, told.Oldest, told.Asked));
        Assert.Equal("IOException: the till is out", told.LastError);
        Volatile.Write(ref fails, false);
        await coordinator.UntilAsync(() => coordinator.Impulses.Count == 1, "outcome");
        await coordinator.SettleAsync();
        await coordinator.UntilAsync(
            () => coordinator.Told[^1].Methods[0] is { Pending: 0, Running: 0, LastError: "", Asked: 0 }, "the end");
    }

    [Fact] // E11
    public async Task A_class_that_blocks_its_thread_is_left_alone_when_its_time_is_over_and_the_effect_is_tried_again()
    {
        PayEffects.Policy = PayEffects.Quick with { TimeoutTicks = 50 * TimeSpan.TicksPerMillisecond };
        using var goOn = new ManualResetEventSlim();
        int calls = 0;
        _till.Act = _ =>
        {
            if (Interlocked.Increment(ref calls) == 1)
            {
                goOn.Wait(s_patience); // Before any await, as in a method that gives no task.
            }

            return Task.CompletedTask;
        };
        await using ScriptedCoordinator coordinator = await StartAsync();
        await coordinator.DeliverAsync(Pay(5));
        await UntilSeenAsync(coordinator, "paid 5");
        Assert.False(goOn.IsSet);
        goOn.Set();
        Assert.True(calls > 1);
    }

    [Fact] // E11
    public async Task An_attempt_that_succeeds_in_the_moment_in_which_its_time_is_over_gives_its_result()
    {
        await using ScriptedCoordinator coordinator = await StartAsync();
        Task<ReadOnlyMemory<byte>> attempt = EndAtItsLimit(coordinator, static performed => performed.SetResult());
        Assert.Equal([0xA6, .. "paid 1"u8], (await attempt).ToArray());
    }

    [Fact] // E11: what will not pass is not tried again.
    public async Task An_attempt_that_fails_in_the_moment_in_which_its_time_is_over_fails_with_its_own_error()
    {
        await using ScriptedCoordinator coordinator = await StartAsync();
        Task<ReadOnlyMemory<byte>> attempt = EndAtItsLimit(
            coordinator, static performed => performed.SetException(new InvalidDataException("no such card")));
        await Assert.ThrowsAsync<InvalidDataException>(() => attempt);
    }

    [Fact] // E11
    public async Task A_hosts_configuration_counts_in_place_of_the_attribute()
    {
        _options.EffectsRetry = "IPay.Charge attempts=2";
        _till.Act = static _ => throw new IOException("down");
        await using ScriptedCoordinator coordinator = await StartAsync();
        await coordinator.DeliverAsync(Pay(5));
        await UntilSeenAsync(coordinator, "RemoteException");
        Assert.Equal(2, _till.Charged.Count);
    }

    [Fact]
    public async Task No_effect_begins_while_too_many_attempts_run_that_nobody_waits_for()
    {
        PayEffects.Policy = PayEffects.Quick with { TimeoutTicks = TimeSpan.TicksPerMillisecond };
        var never = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _till.Act = _ => never.Task;
        await using ScriptedCoordinator coordinator = await StartAsync();
        coordinator.LogsSelfMessages = false;
        await coordinator.DeliverAsync(Fork(40));
        await coordinator.UntilAsync(
            () => coordinator.Told.Count > 0 && coordinator.Told[^1].Methods[0] is { Failures: >= 32, Running: 0 }, "abandoned attempts");
        int calls = _till.Charged.Count;
        Assert.InRange(calls, 32, 63); // Those that had begun when the 32nd was given up may follow it.
        Assert.Equal(1, _log.CountContaining("No effect begins until one of them ends"));
        PayEffects.Policy = PayEffects.Quick;
        never.SetResult();
        await coordinator.UntilAsync(() => coordinator.Impulses.Count == 40, "outcomes");
    }

    [Fact]
    public async Task What_was_made_to_perform_effects_is_disposed_of_when_the_app_ends()
    {
        var till = new SlowTill();
        _options.UseEffects<IPay>(_ => till);
        ScriptedCoordinator coordinator = await StartAsync();
        await coordinator.DeliverAsync(Pay(5));
        await UntilSeenAsync(coordinator, "paid 5");
        Assert.Equal(0, till.Disposed);
        await coordinator.KillAsync();
        Assert.Equal(0, till.Disposed); // A lost coordinator ends no app.
        await coordinator.Host!.EndAsync();
        Assert.Equal((1, false, false), (till.Disposed, till.DisposedSynchronously, till.DisposedWhileUsed));
    }

    public void Dispose() => PayEffects.Policy = PayEffects.Quick;

    private static byte[] Pay(int amount) => PayMessages.Of(1, amount);

    private static byte[] Fork(int count) => PayMessages.Of(2, count);

    private static async Task UntilSeenAsync(ScriptedCoordinator coordinator, string seen)
    {
        // A quick one may have been logged and executed together with what asked for it.
        await coordinator.UntilAsync(() => coordinator.Impulses.Count == 1 || ((Payer)coordinator.Immortal!).Seen.Count > 0, "outcome");
        await coordinator.SettleAsync();
        Assert.Equal([seen], ((Payer)coordinator.Immortal!).Seen);
    }

    // Its time is over, and before anybody has looked at that, it ends.
    private Task<ReadOnlyMemory<byte>> EndAtItsLimit(ScriptedCoordinator coordinator, Action<TaskCompletionSource> end)
    {
        var limit = TimeSpan.FromSeconds(1);
        var clock = new ManualClock();
        var context = new HeldContext();
        var performed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _till.Act = _ => performed.Task;
        var performers = new EffectPerformers(
            new Dictionary<Type, Func<IServiceProvider, object>> { [typeof(IPay)] = _ => _till }, null, clock, _log);
        var settings = new OutsideSettings { Logger = _log, Time = clock, Effects = new EffectSettings { Performers = performers } };
        var attempts = new Attempts(
            coordinator.Immortal!.Runtime, settings, context.Begin(static () => new OutsideTurns()),
            new AttemptReports(ScriptedCoordinator.Instance, _log), new AbandonedAttempts(1, static _ => { }, static () => { }));
        var effect = new PendingEffect(new EffectKey(90, 0, 0), new PayEffects(), 1, [0x91, 1], 1, null);
        Task<ReadOnlyMemory<byte>> attempt = context.Begin(
            () => attempts.PerformAsync(new RunningEffect(effect, TimeSpan.Zero, 0), limit));
        context.RunPosted();
        Assert.Single(_till.Charged);
        end(performed);
        clock.Advance(limit);
        Assert.False(attempt.IsCompleted);
        context.RunPosted();
        Assert.True(attempt.IsCompleted);
        return attempt;
    }

    private async Task<ScriptedCoordinator> StartAsync()
    {
        var coordinator = new ScriptedCoordinator(static () => new Payer(), _options)
        {
            Features = BindingFeatures.Effects, Time = _clock, Logger = _log, Now = _clock.GetUtcNow().UtcTicks,
        };
        await coordinator.StartFirstAsync();
        return coordinator;
    }
}
