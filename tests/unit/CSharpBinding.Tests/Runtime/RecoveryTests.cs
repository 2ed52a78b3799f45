using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

public sealed class RecoveryTests : IAsyncDisposable
{
    private readonly ScriptedCoordinator _coordinator = new(static () => new Counter());

    private Counter App => (Counter)_coordinator.Immortal!;

    [Fact]
    public async Task Replay_from_the_first_checkpoint_rebuilds_the_state_and_sends_the_same()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(DispatchTests.Add(RpcKind.Async, 5, 1), DispatchTests.AskPeer("other", 2, 2));
        await _coordinator.DeliverAsync(TestMessage.Reply(RpcForm.Value, 1, 1, [10]));
        await _coordinator.KillAsync();
        Counter before = App;

        await _coordinator.RecoverAsync();

        Assert.NotSame(before, App);
        Assert.Equal(15, App.Total);
        Assert.Equal(1, App.FirstStarts);
        Assert.Empty(_coordinator.Divergences);
        Assert.Equal(2, _coordinator.SentTo("client").Count);
    }

    [Theory] // As for a coordinator: contents count, what an exception says does not.
    [InlineData(RpcForm.Value, 1)]
    [InlineData(RpcForm.Exception, 0)]
    public async Task Other_contents_of_what_is_sent_again_are_noticed_unless_they_are_an_exceptions(RpcForm form, int noticed)
    {
        bool replayed = false;
        await using var coordinator = new ScriptedCoordinator(() => new Counter { Bias = replayed ? 1 : 0 });
        await coordinator.StartFirstAsync();
        await coordinator.DeliverAsync(form == RpcForm.Value
            ? DispatchTests.Add(RpcKind.Async, 5, 1) : DispatchTests.Fail(RpcKind.Async, "refused", 1));
        await coordinator.KillAsync();

        replayed = true;
        await coordinator.RecoverAsync();

        Assert.Equal((byte)form, TestMessage.DataOf(Assert.Single(coordinator.SentTo("client")))[0]);
        Assert.Equal(noticed, coordinator.Divergences.Count);
    }

    [Fact] // G8
    public async Task An_await_goes_on_after_a_checkpoint_and_a_kill()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(DispatchTests.AskPeer("other", 2, 7));
        await _coordinator.CheckpointAsync();
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync();

        await _coordinator.DeliverAsync(TestMessage.Reply(RpcForm.Value, 1, 1, [10]));

        Assert.Equal(TestMessage.Reply(RpcForm.Value, 2, 7, [10]), Assert.Single(_coordinator.SentTo("client")));
        Assert.Equal(2, _coordinator.SentTo("other").Count); // The call, and the fork behind the await.
        Assert.Equal("other", App.Peer!.Destination);
        Assert.Empty(_coordinator.Divergences);
    }

    [Fact] // G8
    public async Task Call_numbers_go_on_after_a_checkpoint()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(DispatchTests.AskPeer("other", 2), DispatchTests.AskPeer("other", 3));
        await _coordinator.CheckpointAsync();
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync();

        await _coordinator.DeliverAsync(DispatchTests.AskPeer("other", 4));

        Assert.Equal([1, 2, 3], _coordinator.SentTo("other").Select(DispatchTests.NumberOf));
    }

    [Fact] // docs/internals/exactly-once.md H10
    public async Task A_timer_saved_in_a_checkpoint_rings_in_the_next_process()
    {
        await _coordinator.StartFirstAsync();
        _coordinator.LogsSelfMessages = false;
        await _coordinator.DeliverAsync(TestMessage.Call(RpcKind.Fork, 4, static (ref Ambrosia.Serialization.MessagePackWriter w) =>
            { w.WriteArrayHeader(1); w.WriteInt64(1); }));
        await _coordinator.CheckpointAsync();
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1, "timer impulse");
        await _coordinator.KillAsync();
        _coordinator.Impulses.Clear();
        _coordinator.LogsSelfMessages = true;

        await _coordinator.RecoverAsync();
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count + _coordinator.SentTo("sink").Count == 1, "timer impulse");
        await _coordinator.SettleAsync();

        Assert.Single(_coordinator.SentTo("sink"));
    }

    [Fact] // G2, docs/internals/exactly-once.md H10: what it would ring for may have happened already.
    public async Task A_replaying_app_sets_no_clock_for_its_timers()
    {
        await _coordinator.StartFirstAsync();
        _coordinator.LogsSelfMessages = false;
        await _coordinator.DeliverAsync(TestMessage.Call(RpcKind.Fork, 4, static (ref Ambrosia.Serialization.MessagePackWriter w) =>
            { w.WriteArrayHeader(1); w.WriteInt64(1); }));
        await _coordinator.KillAsync();
        var clock = new SilentClock();
        _coordinator.Time = clock;

        await _coordinator.RecoverAsync(0, becomePrimary: false);

        Assert.Equal(0, clock.Set);
        await _coordinator.BecomePrimaryAsync();
        await clock.FirstSet.WaitAsync(Patience.Time);
    }

    [Fact] // docs/internals/exactly-once.md H6
    public async Task Outputs_of_the_turns_before_stand_before_a_checkpoint_in_the_stream()
    {
        await _coordinator.StartFirstAsync();
        LoggedRecord record = _coordinator.Append(DispatchTests.Add(RpcKind.Async, 5, 1));
        byte[] info = new byte[RecordInfo.MaxSize];
        int size = new RecordInfo(record.Lsn, record.Epoch, record.Timestamp, record.Count, record.Payload.Length, 0).Write(info);

        // At once: nothing is sent because the app has nothing more to read.
        await _coordinator.SendAsync([
            .. TestMessage.Frame(BindingMessageType.RecordInfo, info.AsSpan(0, size)), .. record.Payload,
            .. TestMessage.Frame(BindingMessageType.TakeCheckpoint, [])]);

        await _coordinator.UntilAsync(() => _coordinator.Checkpoints.Count == 2, "checkpoint");
        Assert.Equal(record.Lsn, _coordinator.Checkpoints[1].Lsn);
        Assert.Equal(1, _coordinator.Checkpoints[1].Sent["client"]);
        await _coordinator.UntilAsync(() => _coordinator.ProgressLsn >= record.Lsn, "progress");
    }

    [Fact]
    public async Task Every_checkpoint_with_the_log_behind_it_leads_to_the_same_state()
    {
        await _coordinator.StartFirstAsync();
        for (int i = 1; i <= 6; i++)
        {
            await _coordinator.DeliverAsync(DispatchTests.AskPeer("other", i, i), DispatchTests.Note(i));
            if (i > 2)
            {
                await _coordinator.DeliverAsync(TestMessage.Reply(RpcForm.Value, 1, i - 2, [(byte)i]));
            }

            await _coordinator.CheckpointAsync();
        }

        string? hash = null;
        for (int checkpoint = 0; checkpoint < _coordinator.Checkpoints.Count; checkpoint++)
        {
            await _coordinator.KillAsync();
            await _coordinator.RecoverAsync(checkpoint);
            hash ??= _coordinator.StateJson;
            Assert.Equal(hash, _coordinator.StateJson);
            Assert.Contains("stateHash", hash, StringComparison.Ordinal);
            Assert.Empty(_coordinator.Divergences);
        }
    }

    [Fact] // One state hash for primary, secondary and debugger.
    public async Task A_suspended_impulse_that_somebody_waits_for_leaves_the_same_state_as_one_that_is_replayed()
    {
        await _coordinator.StartFirstAsync();
        _coordinator.Now = DateTimeOffset.UtcNow.UtcTicks; // The timer really waits.
        Task nap = App.Self.NapImpulse(3_600_000);
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1, "impulse");
        await _coordinator.SettleAsync();
        await _coordinator.CheckpointAsync();
        await _coordinator.SendAsync(TestMessage.Frame(BindingMessageType.StateRequest, [1]));
        await _coordinator.UntilAsync(() => _coordinator.StateJson is not null, "state");
        string? live = _coordinator.StateJson;
        await _coordinator.KillAsync();
        await Assert.ThrowsAsync<ImpulseOutcomeUnknownException>(() => nap);

        await _coordinator.RecoverAsync(0);
        Assert.Equal(live, _coordinator.StateJson);
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync(1);

        Assert.Equal(live, _coordinator.StateJson);
    }

    [Fact]
    public async Task What_was_not_marked_done_is_executed_again_after_a_kill()
    {
        await _coordinator.StartFirstAsync();
        LoggedRecord lost = _coordinator.Append(DispatchTests.Add(RpcKind.Async, 5, 1));
        await _coordinator.SendAsync(lost.Payload.AsMemory(0, 0)); // The record itself never reaches the app.
        await _coordinator.KillAsync();

        await _coordinator.RecoverAsync();

        Assert.Equal(5, App.Total);
        Assert.Single(_coordinator.SentTo("client"));
    }

    [Fact]
    public async Task Faults_and_log_lines_are_not_repeated_by_replay()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(TestMessage.Call(RpcKind.Fork, 5, static (ref Ambrosia.Serialization.MessagePackWriter w) =>
            { w.WriteArrayHeader(1); w.WriteString("broken"); }));
        await _coordinator.KillAsync();

        await _coordinator.RecoverAsync(0);

        Assert.Single(_coordinator.Faults);
    }

    [Fact]
    public async Task What_OnSave_writes_OnRestore_gets()
    {
        await using var coordinator = new ScriptedCoordinator(static () => new BlobKeeper());
        await coordinator.StartFirstAsync();
        await coordinator.DeliverAsync(DispatchTests.Add(RpcKind.Fork, 200_000));
        await coordinator.CheckpointAsync();
        await coordinator.KillAsync();

        await coordinator.RecoverAsync();

        var keeper = (BlobKeeper)coordinator.Immortal!;
        Assert.Equal(200_000, keeper.Blob.Length);
        Assert.All(keeper.Blob, b => Assert.Equal(0xAB, b));
        Assert.Equal(200_000, keeper.Total);
    }

    [Fact]
    public async Task A_checkpoint_of_another_kind_of_app_is_refused_with_a_sentence()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.CheckpointAsync();
        await _coordinator.KillAsync();

        await _coordinator.AttachAsync(BindingMode.Recover);
        await _coordinator.SendCheckpointAsync("{\"some\":\"json\"}"u8.ToArray());

        CheckpointException error = await Assert.ThrowsAsync<CheckpointException>(() => _coordinator.App);
        Assert.Contains("another kind of app", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_checkpoint_that_is_cut_anywhere_is_refused_and_nothing_else_happens()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(DispatchTests.AskPeer("other", 2, 7));
        await _coordinator.CheckpointAsync();
        await _coordinator.KillAsync();
        byte[] whole = _coordinator.Checkpoints[^1].Bytes;

        for (int length = 0; length < whole.Length; length += Math.Max(1, whole.Length / 40))
        {
            await _coordinator.AttachAsync(BindingMode.Recover);
            await _coordinator.SendCheckpointAsync(whole[..length]);
            await Assert.ThrowsAsync<CheckpointException>(() => _coordinator.App);
        }
    }

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    private sealed class BlobKeeper : Counter
    {
        [NotSaved]
        private byte[] _blob = [];

        public byte[] Blob => _blob;

        protected override void OnSave(System.Buffers.IBufferWriter<byte> output)
        {
            for (int i = 0; i < Total; i++)
            {
                output.GetSpan(1)[0] = 0xAB;
                output.Advance(1);
            }
        }

        protected override void OnRestore(System.Buffers.ReadOnlySequence<byte> saved)
        {
            _blob = new byte[saved.Length];
            System.Buffers.BuffersExtensions.CopyTo(saved, _blob);
        }
    }
}
