using System.Text;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.Effects;

/// <summary>
/// Effects that end their process (docs/internals/effect-rules.md E20): found, performed alone and held, however the process comes back.
/// Here a process ends where its connection does, and the next one begins with a host of its own.
/// </summary>
[Collection(nameof(Payer))]
public sealed class EffectHoldTests : IAsyncDisposable
{
    private const int Deadly = 5;
    private static readonly TimeSpan s_patience = Patience.Time;
    private readonly Till _till = new();
    private readonly LineLogger _log = new();
    private readonly LeapClock _clock = new();
    private readonly ScriptedCoordinator _coordinator;
    private readonly SemaphoreSlim _begun = new(0);
    private volatile bool _kills = true;

    public EffectHoldTests()
    {
        PayEffects.IsGone = false;
        PayEffects.Policy = PayEffects.Quick;
        Payer.Surcharge = 0;
        _till.Act = async effect =>
        {
            if (_till.Charged.Last().Amount == Deadly && _kills)
            {
                _begun.Release();
                await Task.Delay(Timeout.Infinite, effect.Cancellation); // The test ends the process now.
            }
        };
        var options = new ImmortalOptions { InstanceName = ScriptedCoordinator.Instance, EffectsDrain = TimeSpan.Zero };
        _coordinator = new ScriptedCoordinator(static () => new Payer(), options.UseEffects<IPay>(_ => _till))
        {
            Features = BindingFeatures.Effects, Time = _clock, Logger = _log, Now = _clock.GetUtcNow().UtcTicks,
        };
    }

    private List<string> Seen => ((Payer)_coordinator.Immortal!).Seen;

    private EffectKey Key { get; set; }

    private int Deaths => _till.Charged.Count(static charged => charged.Amount == Deadly);

    [Fact]
    public async Task An_effect_that_ends_its_process_again_and_again_is_held_while_the_app_goes_on()
    {
        await HoldAsync();
        Assert.Equal(7, Deaths); // Three lives before it is suspected, one beside others, three alone.
        await PayAsync(6);
        Assert.Equal(["paid 6"], Seen);
        EffectMethodTold told = await ToldAsync(static told => told is { Held: 1, Pending: 1 });
        Assert.Contains($"processes ended while they ran: {Key}", told.LastError, StringComparison.Ordinal);
        Assert.Equal(1, _log.CountContaining("is held: 4 processes ended"));
        Assert.Equal(1, _log.CountContaining($"'ambrosia effects run {ScriptedCoordinator.Instance} {Key}'"));

        await _coordinator.CheckpointAsync(); // It is state.
        await _coordinator.KillAsync();
        await BeginLifeAsync();
        await PayAsync(7);
        Assert.Equal((7, 2), (Deaths, _log.CountContaining("is held: 4 processes ended")));

        _kills = false;
        await DecideAsync(EffectNoteKind.Run, QueryStatus.Answered, "");
        await LogOneAsync(ReservedMethods.EffectNote);
        await LogOneAsync(ReservedMethods.EffectDone);
        Assert.Equal("paid 5", Seen[^1]);
        await ToldAsync(static told => told is { Held: 0, Pending: 0 });
    }

    [Fact]
    public async Task An_effect_that_is_given_up_ends_its_await_and_is_not_performed_again()
    {
        await HoldAsync();
        await DecideAsync(EffectNoteKind.Run, QueryStatus.Failed, "no effect 1:1:1 is pending", new EffectKey(1, 1, 1));
        await DecideAsync(EffectNoteKind.GivenUp, QueryStatus.Answered, "");
        await LogOneAsync(ReservedMethods.EffectNote);
        Assert.Equal(["EffectGivenUpException"], Seen);
        await DecideAsync(EffectNoteKind.GivenUp, QueryStatus.Failed, $"no effect {Key} is pending");
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync(0);
        Assert.Equal(["EffectGivenUpException"], Seen);
        Assert.Equal(7, Deaths);
    }

    [Fact]
    public async Task An_effect_that_is_performed_alone_is_performed_beside_none()
    {
        await DieAsync(4);
        await BeginLifeAsync(TimeSpan.FromSeconds(10));
        await LogOneAsync(ReservedMethods.EffectNote);
        await BegunAsync();
        await _coordinator.DeliverAsync(PayMessages.Of(1, 6));
        for (DateTime deadline = DateTime.UtcNow + s_patience; _coordinator.Immortal!.Runtime.EffectsBegun < 2; await Task.Delay(1))
        {
            Assert.True(DateTime.UtcNow < deadline, "the other one is not handed over");
        }

        await Task.Delay(200); // Time in which it must not begin.
        Assert.DoesNotContain(_till.Charged, static charged => charged.Amount == 6);
        await DecideAsync(EffectNoteKind.GivenUp, QueryStatus.Answered, "");
        await LogOneAsync(ReservedMethods.EffectNote);
        await LogOneAsync(ReservedMethods.EffectDone);
        Assert.Equal(["EffectGivenUpException", "paid 6"], Seen);
    }

    [Fact]
    public async Task What_ended_a_process_waits_before_it_is_performed_alone()
    {
        await DieAsync(4);
        await BeginLifeAsync();
        await PayAsync(6); // Which would wait behind the other one.
        Assert.Equal(4, Deaths);
        Assert.Equal(["paid 6"], Seen);
    }

    [Fact]
    public async Task A_process_that_stops_by_itself_or_is_connected_again_was_ended_by_no_effect()
    {
        await DieAsync(2);
        for (int i = 0; i < 4; i++)
        {
            await BeginLifeAsync();
            await BegunAsync();
            await _coordinator.DrainAsync(); // The attempt does not end: the time that the app gives it is over at once.
            _coordinator.Append(await PayMessages.TakeAsync(_coordinator, ReservedMethods.EffectNote, "the end of a life"));
            _coordinator.Forget();
        }

        await BeginLifeAsync();
        await BegunAsync();
        _coordinator.KeepsHost = true;
        for (int i = 0; i < 4; i++)
        {
            await _coordinator.KillAsync();
            await BeginLifeAsync();
            await BegunAsync(); // Without a mark: it would not have been logged.
        }

        _kills = false;
    }

    [Fact]
    public void Ten_attempts_in_a_row_that_end_acquit_and_so_does_another_build()
    {
        PendingEffect effect = Suspect();
        for (int i = 0; i < PendingEffect.AcquittedAfter; i++)
        {
            Assert.True(effect.IsSuspect);
            effect.Mark();
            effect.Clear();
        }

        Assert.False(effect.IsSuspect);
        effect = Suspect();
        effect.LifeBegins(isOther: true, isRebuilt: true);
        Assert.False(effect.IsSuspect);
    }

    [Fact] // What ends its process at its second attempt is found, too.
    public void Attempts_that_end_take_no_death_back()
    {
        PendingEffect effect = Suspect();
        for (int i = 1; i < 4; i++)
        {
            effect.LifeBegins(isOther: true, isRebuilt: false);
            Assert.False(effect.IsHeld);
            effect.Mark();
            effect.Clear();
            effect.Mark();
        }

        effect.LifeBegins(isOther: true, isRebuilt: false);
        Assert.True(effect.IsHeld);
    }

    [Theory] // Anything may follow a reserved id; what is logged is replayed.
    [InlineData(new byte[] { 0, 11, 2 })]
    [InlineData(new byte[] { 0, 11, 2, 0, 1 })]
    [InlineData(new byte[] { 0, 11, 2, 5, 1, 0, 0 })]
    [InlineData(new byte[] { 0, 11, 2, 9, 1, 0, 0 })]
    [InlineData(new byte[] { 0, 11, 1, 4, 1, 0, 0 })]
    [InlineData(new byte[] { 0, 11, 2, 4, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0 })]
    public async Task A_damaged_note_is_ignored(byte[] message)
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(TestMessage.Frame(BindingMessageType.Rpc, message));
        Assert.False(_coordinator.App.IsCompleted);
    }

    public async ValueTask DisposeAsync()
    {
        _kills = false;
        PayEffects.Policy = PayEffects.Quick;
        if (!_coordinator.App.IsCompleted)
        {
            await _coordinator.KillAsync(); // What is held or hangs shall not be waited for.
        }

        _begun.Dispose();
    }

    private static PendingEffect Suspect()
    {
        var effect = new PendingEffect(new EffectKey(90, 0, 0), new PayEffects(), 1, [0x91, 1], 1, null);
        effect.Mark();
        effect.LifeBegins(isOther: true, isRebuilt: false);
        return effect;
    }

    // Until the effect is held.
    private async Task HoldAsync()
    {
        await DieAsync(4);
        foreach (int seconds in (int[])[10, 40, 160])
        {
            await BeginLifeAsync(TimeSpan.FromSeconds(seconds));
            await LogOneAsync(ReservedMethods.EffectNote); // Its mark.
            await BegunAsync();
            await _coordinator.KillAsync();
        }

        await BeginLifeAsync(TimeSpan.FromHours(1));
    }

    // So many processes end while it is performed.
    private async Task DieAsync(int lives)
    {
        await _coordinator.StartFirstAsync();
        _coordinator.LogsSelfMessages = false;
        await _coordinator.DeliverAsync(PayMessages.Of(1, Deadly));
        Key = new EffectKey(_coordinator.Log[^1].Lsn, 0, 0);
        for (int life = 1; life <= lives; life++)
        {
            if (life > 3)
            {
                await LogOneAsync(ReservedMethods.EffectNote); // Its mark.
            }

            await BegunAsync();
            await _coordinator.KillAsync();
            if (life < lives)
            {
                await BeginLifeAsync();
            }
        }
    }

    // Time passes before it is in the log that the process acts: a test waits for no pause.
    private async Task BeginLifeAsync(TimeSpan age = default)
    {
        _coordinator.Impulses.Clear();
        await _coordinator.RecoverAsync();
        byte[] life = await PayMessages.TakeAsync(_coordinator, ReservedMethods.EffectNote, "that it acts");
        _clock.Leap(age);
        await _coordinator.DeliverAsync(life);
    }

    private async Task LogOneAsync(int method) =>
        await _coordinator.DeliverAsync(await PayMessages.TakeAsync(_coordinator, method, "note"));

    private async Task BegunAsync() => Assert.True(await _begun.WaitAsync(s_patience), "the attempt does not begin");

    private async Task PayAsync(int amount)
    {
        await _coordinator.DeliverAsync(PayMessages.Of(1, amount));
        await LogOneAsync(ReservedMethods.EffectDone);
    }

    private async Task<EffectMethodTold> ToldAsync(Func<EffectMethodTold, bool> condition)
    {
        await _coordinator.UntilAsync(() => _coordinator.Told.Count > 0 && condition(_coordinator.Told[^1].Methods[0]), "figures");
        return _coordinator.Told[^1].Methods[0];
    }

    private async Task DecideAsync(EffectNoteKind kind, QueryStatus status, string reason, EffectKey? key = null)
    {
        byte[] note = EffectNote.Of(kind, key ?? Key, "charged by hand").ToImpulse();
        (QueryStatus said, byte[] body) = await _coordinator.AskAsync(note);
        Assert.Equal((status, reason), (said, Encoding.UTF8.GetString(body)));
    }
}
