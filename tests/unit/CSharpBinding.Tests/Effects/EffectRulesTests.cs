using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.Effects;

/// <summary>Each rule of docs/guide/effects.md at the binding's own link, message by message.</summary>
[Collection(nameof(Payer))]
public sealed class EffectRulesTests : IAsyncDisposable
{
    private readonly Till _till = new();
    private readonly ScriptedCoordinator _coordinator;

    public EffectRulesTests()
    {
        PayEffects.IsGone = false;
        Payer.Surcharge = 0;
        var options = new ImmortalOptions { InstanceName = ScriptedCoordinator.Instance, EffectsAtOnce = 1 };
        _coordinator = new ScriptedCoordinator(static () => new Payer(), options.UseEffects<IPay>(_ => _till));
    }

    // Counted where an effect is handed over to the threads that perform it: who performs it may not have noticed yet.
    private int Begun => _coordinator.Immortal!.Runtime.EffectsBegun;

    private List<string> Seen => ((Payer)_coordinator.Immortal!).Seen;

    [Fact] // E1
    public async Task An_effect_is_asked_for_in_handlers_only()
    {
        await _coordinator.StartFirstAsync();
        Assert.Contains("Effects are asked for in handlers only", ((Payer)_coordinator.Immortal!).Outside!.Message,
            StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(static () => new PayEffects().ChargeFork(1));
        Assert.Equal(0, Begun);
    }

    [Fact] // E2, E3
    public async Task Arguments_are_encoded_at_the_call_and_ids_name_record_message_and_ordinal()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Pay(-1), Fork(2), Fork(1));
        await _coordinator.UntilAsync(() => _till.Charged.Count >= 3, "three outcomes"); // One record may hold two of them.
        Assert.Equal(["ArgumentOutOfRangeException"], Seen);
        string instance = "6f1c1b50-7a1f-4b0e-9d5b-0a3d5f3c2e11/";
        ulong lsn = _coordinator.Log.First(static record => record.Count == 3).Lsn;
        Assert.Equal([($"{instance}{lsn}:1:0", 0), ($"{instance}{lsn}:1:1", 1), ($"{instance}{lsn}:2:0", 0)], _till.Charged);
    }

    [Fact] // E5: a message that ends the process in its turn may be quarantined.
    public async Task An_effect_of_a_turn_that_ends_the_process_is_not_performed()
    {
        await _coordinator.StartFirstAsync();
        await Assert.ThrowsAnyAsync<Exception>(() => _coordinator.DeliverAsync(Message(3, 7)));
        await Assert.ThrowsAnyAsync<Exception>(() => _coordinator.App);
        _coordinator.Forget();
        Assert.Equal(0, ((Payer)_coordinator.Immortal!).BegunInTurn);
        Assert.Equal(0, Begun);
    }

    [Fact] // E6, E7
    public async Task A_replay_only_fills_the_table_and_BecomingPrimary_performs_what_is_pending_in_order()
    {
        await _coordinator.StartFirstAsync();
        _coordinator.LogsSelfMessages = false;
        await _coordinator.DeliverAsync(Fork(2));
        await _coordinator.DeliverAsync(Pay(5));
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 3, "outcomes");
        (string, int)[] first = [.. _till.Charged];
        _coordinator.Impulses.Clear(); // Lost: they were never logged.
        await _coordinator.KillAsync();
        _till.Charged.Clear();

        await _coordinator.RecoverAsync(0, becomePrimary: false);
        Assert.Equal(0, Begun);
        await _coordinator.BecomePrimaryAsync();
        byte[] life = await PayMessages.TakeAsync(_coordinator, ReservedMethods.EffectNote, "that it acts");
        Assert.Equal(0, Begun); // E20: not before it is in the log.
        await _coordinator.DeliverAsync(life);
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 3, "outcomes");
        Assert.Equal(first, _till.Charged);
    }

    [Fact] // E4
    public async Task A_checkpoint_with_pending_effects_is_of_another_format_than_one_without()
    {
        await _coordinator.StartFirstAsync();
        _coordinator.LogsSelfMessages = false;
        await _coordinator.DeliverAsync(Pay(5));
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1, "outcome");
        await _coordinator.CheckpointAsync();
        Assert.Equal(2, _coordinator.Checkpoints[0].Bytes[4]);
        Assert.Equal(3, _coordinator.Checkpoints[^1].Bytes[4]);
        _coordinator.LogsSelfMessages = true;
        await _coordinator.SettleAsync();
        await _coordinator.CheckpointAsync();
        Assert.Equal(2, _coordinator.Checkpoints[^1].Bytes[4]);
        await _coordinator.KillAsync();

        await _coordinator.RecoverAsync(1);
        await _coordinator.SettleAsync();
        Assert.Equal(["paid 5"], Seen);
    }

    [Fact] // E8
    public async Task An_outcome_counts_once_however_often_it_is_logged()
    {
        await _coordinator.StartFirstAsync();
        byte[] outcome = await OutcomeAsync(Pay(5));
        await _coordinator.DeliverAsync(outcome, outcome);
        await _coordinator.DeliverAsync(outcome);
        Assert.Equal(["paid 5"], Seen);
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync(0);
        Assert.Equal(["paid 5"], Seen);
        Assert.Equal(0, Begun);
        Assert.Single(_till.Charged);
    }

    [Fact] // E8
    public async Task An_outcome_of_what_this_build_asked_for_with_other_arguments_ends_the_app_before_it_acts()
    {
        await _coordinator.StartFirstAsync();
        byte[] outcome = await OutcomeAsync(Pay(5));
        await _coordinator.DeliverAsync(outcome);
        await _coordinator.KillAsync();
        Payer.Surcharge = 1;
        await Assert.ThrowsAnyAsync<Exception>(() => _coordinator.RecoverAsync(0));
        await Assert.ThrowsAsync<EffectDivergedException>(() => _coordinator.App.WaitAsync(Patience.Time));
        _coordinator.Forget();
        Assert.Equal(0, Begun);
        Assert.Single(_till.Charged);
    }

    [Fact] // E8
    public async Task An_outcome_that_no_message_asked_for_ends_the_app_unless_a_message_was_quarantined()
    {
        await _coordinator.StartFirstAsync();
        byte[] outcome = await OutcomeAsync(Pay(5));
        ulong lsn = _coordinator.Log[^1].Lsn;
        await _coordinator.DeliverAsync(outcome);
        await _coordinator.KillAsync();

        // The message that asked is quarantined: what it had done outside came back nevertheless.
        await _coordinator.RecoverAsync(0, skip: [(byte)lsn, 0]);
        Assert.Empty(Seen);
        await _coordinator.KillAsync();

        // Nobody ever asked.
        byte[] forged = [.. outcome];
        forged[Array.IndexOf(forged, (byte)lsn, 5)] = (byte)(lsn + 1);
        await _coordinator.RecoverAsync(0);
        await Assert.ThrowsAnyAsync<Exception>(() => _coordinator.DeliverAsync(forged));
        await Assert.ThrowsAsync<EffectDivergedException>(() => _coordinator.App.WaitAsync(Patience.Time));
        _coordinator.Forget();
    }

    [Fact] // E8
    public async Task A_quarantined_outcome_fails_the_await_and_is_not_asked_for_again()
    {
        await _coordinator.StartFirstAsync();
        byte[] outcome = await OutcomeAsync(Pay(5));
        LoggedRecord record = _coordinator.Append(outcome);
        await _coordinator.SendAsync(TestMessage.Frame(BindingMessageType.Skip, [(byte)record.Lsn, 0]));
        await _coordinator.DeliverAsync(record);
        await _coordinator.UntilAsync(() => _coordinator.ProgressLsn >= record.Lsn, "progress");
        Assert.Equal(["MessageSkippedException"], Seen);
        await _coordinator.CheckpointAsync();
        Assert.Equal(2, _coordinator.Checkpoints[^1].Bytes[4]);
        Assert.Equal(1, Begun);
    }

    [Fact] // E15
    public async Task An_outcome_that_cannot_be_decoded_fails_the_await()
    {
        await _coordinator.StartFirstAsync();
        byte[] outcome = await OutcomeAsync(Pay(5));
        outcome[^7] = 0xC1; // The head of the text.
        await _coordinator.DeliverAsync(outcome);
        Assert.Equal(["InvalidDataException"], Seen);
    }

    [Theory] // Anything may follow a reserved id; what is logged is replayed.
    [InlineData(new byte[] { 0, 9, 2 })]
    [InlineData(new byte[] { 0, 9, 2, 1, 0, 0, 1 })]
    [InlineData(new byte[] { 0, 9, 1, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2 })]
    [InlineData(new byte[] { 0, 9, 2, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 })]
    public async Task A_damaged_outcome_is_ignored(byte[] message)
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(TestMessage.Frame(BindingMessageType.Rpc, message));
        Assert.False(_coordinator.App.IsCompleted);
    }

    [Fact] // E16
    public async Task The_failure_of_a_one_way_effect_is_a_fault_that_names_it()
    {
        _till.Act = static _ => throw new InvalidOperationException("card refused");
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Fork(1));
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1 || _coordinator.Faults.Count == 1, "outcome");
        await _coordinator.SettleAsync();
        await _coordinator.UntilAsync(() => _coordinator.Faults.Count == 1, "fault");
        Assert.Contains("IPay.Charge: System.InvalidOperationException: card refused", _coordinator.Faults[0], StringComparison.Ordinal);
    }

    [Fact] // E12
    public async Task An_attempt_that_ends_because_its_process_no_longer_acts_gives_no_outcome()
    {
        var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _till.Act = async effect =>
        {
            begun.SetResult();
            using (effect.Cancellation.Register(cancelled.SetResult))
            {
                await Task.Delay(Timeout.Infinite, effect.Cancellation);
            }
        };
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Pay(5));
        await begun.Task.WaitAsync(Patience.Time);
        await _coordinator.KillAsync();
        await cancelled.Task.WaitAsync(Patience.Time);
        Assert.Empty(_coordinator.Impulses);
        _till.Act = null;
        _coordinator.LogsSelfMessages = false;
        await _coordinator.RecoverAsync(0);
        await _coordinator.DeliverAsync(await PayMessages.TakeAsync(_coordinator, ReservedMethods.EffectNote, "that it acts"));
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1, "outcome");
        _coordinator.LogsSelfMessages = true;
        await _coordinator.SettleAsync();
        Assert.Equal(["paid 5"], Seen);
    }

    [Fact] // E22
    public async Task A_clean_stop_begins_no_effect_and_lets_those_end_that_run()
    {
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var goOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _till.Act = _ =>
        {
            begun.SetResult();
            return goOn.Task;
        };
        await _coordinator.StartFirstAsync();
        _coordinator.LogsSelfMessages = false;
        await _coordinator.DeliverAsync(Fork(2)); // One at once, as this app was told.
        await begun.Task.WaitAsync(Patience.Time);
        ImmortalRuntime runtime = _coordinator.Immortal!.Runtime;
        await _coordinator.Stop.CancelAsync();
        for (DateTime deadline = DateTime.UtcNow + Patience.Time; !runtime.EffectsStop; await Task.Delay(1))
        {
            // Else the second one begins when the first one ends.
            Assert.True(DateTime.UtcNow < deadline, "the stop does not wait for effects");
        }

        goOn.SetResult();
        Assert.Equal("the app is stopping", await _coordinator.App.WaitAsync(Patience.Time));
        await _coordinator.DisposeAsync();
        Assert.Single(_coordinator.Impulses, static impulse => impulse[3] == Varint.ZigZag(ReservedMethods.EffectDone));
        Assert.Single(_coordinator.Impulses, static impulse => impulse[3] == Varint.ZigZag(ReservedMethods.EffectNote)); // E20
        Assert.Single(_till.Charged);
    }

    [Fact] // E22
    public async Task An_app_that_its_coordinator_asks_to_leave_begins_no_effect_and_lets_those_end_that_run()
    {
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var goOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _till.Act = _ =>
        {
            begun.TrySetResult();
            return goOn.Task;
        };
        await _coordinator.StartFirstAsync();
        _coordinator.LogsSelfMessages = false;
        await _coordinator.DeliverAsync(Fork(2));
        await begun.Task.WaitAsync(Patience.Time);
        ImmortalRuntime runtime = _coordinator.Immortal!.Runtime;
        Task drained = _coordinator.DrainAsync();
        for (DateTime deadline = DateTime.UtcNow + Patience.Time; !runtime.EffectsStop; await Task.Delay(1))
        {
            Assert.True(DateTime.UtcNow < deadline, "the app does not wait for its effects");
        }

        goOn.SetResult();
        await drained;
        await _coordinator.DisposeAsync();
        Assert.Single(_coordinator.Impulses, static impulse => impulse[3] == Varint.ZigZag(ReservedMethods.EffectDone));
        Assert.Single(_coordinator.Impulses, static impulse => impulse[3] == Varint.ZigZag(ReservedMethods.EffectNote)); // E20
        Assert.Single(_till.Charged);
    }

    [Fact] // E21
    public async Task A_build_without_the_method_of_a_pending_effect_does_not_load_the_state()
    {
        await _coordinator.StartFirstAsync();
        await OutcomeAsync(Pay(5));
        await _coordinator.CheckpointAsync();
        await _coordinator.KillAsync();
        PayEffects.IsGone = true;
        await Assert.ThrowsAnyAsync<Exception>(() => _coordinator.RecoverAsync());
        var error = await Assert.ThrowsAsync<CannotResumeException>(() => _coordinator.App.WaitAsync(Patience.Time));
        Assert.Contains("there is no method with id 1", error.Message, StringComparison.Ordinal);
        _coordinator.Forget();
    }

    public async ValueTask DisposeAsync()
    {
        PayEffects.IsGone = false;
        Payer.Surcharge = 0;
        if (!_coordinator.App.IsCompleted)
        {
            await _coordinator.DisposeAsync();
        }
    }

    private static byte[] Pay(int amount) => Message(1, amount);

    private static byte[] Fork(int count) => Message(2, count);

    private static byte[] Message(int method, int value) => PayMessages.Of(method, value);

    // The outcome of the effect that a message asks for, held back from the log.
    private async Task<byte[]> OutcomeAsync(byte[] message)
    {
        _coordinator.LogsSelfMessages = false;
        await _coordinator.DeliverAsync(message);
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1, "outcome");
        byte[] outcome = _coordinator.Impulses[0];
        _coordinator.Impulses.Clear();
        _coordinator.LogsSelfMessages = true;
        return outcome;
    }
}
