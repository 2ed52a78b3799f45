using System.Buffers;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Settings;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

using static Ambrosia.ImmortalCoordinator.Tests.Support.ForkingApp;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>What a replay is compared with, after long absences of the app, and under which limits it runs.</summary>
public sealed class ReplayTests
{
    private const int Backlog = 40;
    private static readonly CoreLimits s_small = new() { DigestsPerRecord = 3, DigestsBeforeLookahead = 4, DigestsHeld = 8 };

    [Fact] // G4, docs/internals/exactly-once.md H19
    public async Task What_piled_up_without_an_app_is_logged_in_pieces_and_the_next_replay_is_compared_with_it()
    {
        var log = new LogStoreEnvironment();
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(log: log, limits: s_small))
        {
            await PileUpAsync(core);
            await using ScriptedApp app = await core.ConnectAppAsync();
            await ReplayAsync(app, Backlog + 1, Shop);
            await app.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
            await Within.Until(() => core.Core.Role == ReplicaRole.Primary && core.Core.OwesTheLogNothing);
        }

        List<RecordTrailer> records = await ReadAsync(log);
        Assert.All(records, static record => Assert.InRange(record.Turns.Count, 0, 3));
        Assert.Equal([.. Enumerable.Range(1, Backlog + 1).Select(static lsn => (ulong)lsn)],
            records.SelectMany(static record => record.Turns).Select(static turn => turn.Lsn).Distinct());

        await using (CoreUnderTest second = await CoreUnderTest.StartAsync(log: log, limits: s_small))
        {
            await using ScriptedApp same = await second.ConnectAppAsync();
            await ReplayAsync(same, Backlog + 1, Shop, reattach: false); // All of them are compared with digests that stand after the last.
            Assert.Equal(0, second.Status.Snapshot().Totals.ContentsDiffered);
        }

        await using CoreUnderTest third = await CoreUnderTest.StartAsync(log: log, limits: s_small);
        await using ScriptedApp other = await third.ConnectAppAsync();
        try
        {
            await ReplayAsync(other, Backlog + 1, Shop, reattach: false, differsAt: 20);
        }
        catch (IOException)
        {
            // The instance may have ended before the app has said everything.
        }

        CoordinatorException diverged = await Assert.ThrowsAsync<CoordinatorException>(() => third.Running.OrFail());
        Assert.Equal("IC-6001", diverged.Code);
        Assert.Contains("record 20", diverged.Message, StringComparison.Ordinal);
        // Nobody waits for it to come back.
        Assert.DoesNotContain(third.Lines.All, static line => line.StartsWith("1502 ", StringComparison.Ordinal));
    }

    [Fact] // While there is no app nobody reads them: they would be held until one comes, and through its whole replay.
    public async Task Digests_that_are_durable_are_not_held_until_an_app_has_read_the_log_up_to_them()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment);
        await using (ScriptedApp app = await core.ConnectAppAsync())
        {
            await app.BecomePrimaryAsync();
            await app.HearAsync(BindingMessageType.Rpc);
            await Within.Until(() => core.Core.OwesTheLogNothing);
            disk.Hold();
            await app.DoneAsync(1);
            await Within.Until(() => core.Core.DigestsHeld == 1);
        }

        await Within.Until(() => !core.Status.Snapshot().App.Attached);
        disk.Release();
        await Within.Until(() => core.Core.DigestsHeld == 0);
    }

    [Theory]
    [InlineData(ContentDivergencePolicy.Warn)]
    [InlineData(ContentDivergencePolicy.Stop)]
    public async Task A_replay_that_sends_other_contents_is_reported_or_stops_the_instance(ContentDivergencePolicy policy)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: options => options.OnContentDivergence = policy);
        await ForkingApp.LiveAsync(core);
        await using ScriptedApp second = await core.ConnectAppAsync();
        await second.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await second.HearAsync(BindingMessageType.Rpc);
        await second.DefineAsync();
        try
        {
            await second.ForkAsync(Self, 2);
            await second.DoneAsync(1);
        }
        catch (IOException)
        {
            // The instance may have ended before the app has heard that it said everything.
        }

        if (policy == ContentDivergencePolicy.Stop)
        {
            CoordinatorException diverged = await Assert.ThrowsAsync<CoordinatorException>(() => core.Running.OrFail());
            Assert.Equal("IC-6001", diverged.Code);
            Assert.Contains("with other contents", diverged.Message, StringComparison.Ordinal);
            return;
        }

        await Within.Until(() => core.Status.Snapshot().Totals.ContentsDiffered == 1);
        Assert.Contains(core.Lines.All, static line => line.Contains("IC-6003", StringComparison.Ordinal));
        await second.HearAsync(BindingMessageType.Rpc);
        await second.DoneAsync(2);
        await second.HearAsync(BindingMessageType.BecomingPrimary);
    }

    [Theory]
    [InlineData(Self, true)]
    [InlineData(Shop, false)]
    public async Task An_app_may_act_only_after_its_whole_replay_was_compared(byte destination, bool same)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await ForkingApp.LiveAsync(core);
        await using ScriptedApp second = await core.ConnectAppAsync();
        await second.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await second.HearAsync(BindingMessageType.Rpc);
        await second.HearAsync(BindingMessageType.Rpc);
        Task<AppState> asked = core.Status.StateAsync(hashOnly: true, CancellationToken.None);
        // All was delivered, and nothing compared.
        await second.HearAsync(BindingMessageType.StateRequest, before: BindingMessageType.BecomingPrimary);
        await second.DefineAsync();
        if (same)
        {
            await second.ForkAsync(destination, 1);
            await second.DoneAsync(1);
            await second.DoneAsync(2);
            await second.HearAsync(BindingMessageType.BecomingPrimary);
            return;
        }

        await Assert.ThrowsAnyAsync<IOException>(async () =>
        {
            await second.ForkAsync(destination, 1);
            await second.DoneAsync(1);
            await second.DoneAsync(2);
            await second.HearAsync(BindingMessageType.BecomingPrimary);
        });
        CoordinatorException diverged = await Assert.ThrowsAsync<CoordinatorException>(() => core.Running.OrFail());
        Assert.Equal("IC-6001", diverged.Code);
        Assert.False(asked.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task What_a_handler_could_send_when_a_record_was_new_it_can_send_when_it_is_replayed()
    {
        var log = new LogStoreEnvironment();
        byte[] large = Message(100_000);
        await using (CoreUnderTest first =
            await CoreUnderTest.StartAsync(log: log, change: static options => options.MaxMessageSize = 1 << 20))
        {
            await using ScriptedApp app = await first.ConnectAppAsync();
            await app.BecomePrimaryAsync(ScriptedApp.Hello with { Features = BindingFeatures.Limits });
            await app.HearAsync(BindingMessageType.Rpc);
            await app.DefineAsync();
            await app.SayAsync(BindingMessageType.Outputs, output => output.Write((ReadOnlySpan<byte>)[Self, 1, .. large]));
            await app.DoneAsync(1);
            await app.HearAsync(BindingMessageType.Rpc);
        }

        await using CoreUnderTest second =
            await CoreUnderTest.StartAsync(log: log, change: static options => options.MaxMessageSize = 65536);
        await using ScriptedApp again = await second.ConnectAppAsync();
        await again.SayAsync(BindingMessageType.Hello, (ScriptedApp.Hello with { Features = BindingFeatures.Limits }).Write);
        Assert.Equal(65536, BindingWelcome.Read(await again.HearAsync(BindingMessageType.Welcome)).MaxMessageBytes);
        Assert.Equal(1 << 20,
            HandlerLimits.Read(await again.HearAsync(BindingMessageType.Limits, before: BindingMessageType.RecordInfo)).MaxMessageBytes);
        await again.HearAsync(BindingMessageType.Rpc);
        await again.DefineAsync();
        await again.SayAsync(BindingMessageType.Outputs, output => output.Write((ReadOnlySpan<byte>)[Self, 1, .. large]));
        await again.DoneAsync(1);
        await again.HearAsync(BindingMessageType.Rpc);
        await again.ForkAsync(Self, 5);
        await again.DoneAsync(2);
        await again.HearAsync(BindingMessageType.BecomingPrimary);
        await again.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
        Assert.Equal(65536, HandlerLimits.Read(
            await again.HearAsync(BindingMessageType.Limits, before: BindingMessageType.RecordInfo)).MaxMessageBytes);
        Assert.Equal([0, 2, 1, 5], await again.HearAsync(BindingMessageType.Rpc)); // The first record of the new life.
    }

    [Fact]
    public async Task A_checkpoint_holds_the_limits_of_its_record()
    {
        var log = new LogStoreEnvironment();
        await using (CoreUnderTest first =
            await CoreUnderTest.StartAsync(log: log, change: static options => options.MaxMessageSize = 1 << 20))
        {
            await using ScriptedApp app = await first.ConnectAppAsync();
            await app.BecomePrimaryAsync();
            await app.HearAsync(BindingMessageType.Rpc);
            await app.DoneAsync(1);
            await Within.Until(() => first.Status.Snapshot().Role == "primary");
            Task<ulong> wanted = first.Status.CheckpointAsync(CancellationToken.None);
            await app.HearAsync(BindingMessageType.TakeCheckpoint);
            await app.SayAsync(BindingMessageType.Checkpoint, static output => output.Write((ReadOnlySpan<byte>)[0]));
            Assert.Equal(1UL, await wanted.OrFail());
            await app.DefineAsync();
            await app.ForkAsync(Self, 1);
        }

        await using CoreUnderTest second =
            await CoreUnderTest.StartAsync(log: log, change: static options => options.MaxMessageSize = 65536);
        await using ScriptedApp again = await second.ConnectAppAsync();
        await again.SayAsync(BindingMessageType.Hello, (ScriptedApp.Hello with { Features = BindingFeatures.Limits }).Write);
        await again.HearAsync(BindingMessageType.Checkpoint);
        Assert.Equal(1 << 20, HandlerLimits.Read(
            await again.HearAsync(BindingMessageType.Limits, before: BindingMessageType.BecomingPrimary)).MaxMessageBytes);
    }

    // The instance's first app leaves, and so many records come while there is none.
    private static async Task PileUpAsync(CoreUnderTest core)
    {
        await using (ScriptedApp app = await core.ConnectAppAsync())
        {
            await app.BecomePrimaryAsync();
            await app.HearAsync(BindingMessageType.Rpc);
        }

        await Within.Until(() => !core.Status.Snapshot().App.Attached);
        await using ScriptedPeer peer = await ScriptedPeer.DialAsync(core, ScriptedPeer.Hello);
        await peer.HearWatermarkAsync(FrameKind.Answer);
        for (byte number = 1; number <= Backlog; number++)
        {
            ulong before = core.Core.DurableLsn.Value;
            await peer.SendOneAsync(number);
            await Within.Until(() => core.Core.DurableLsn.Value > before); // Each is a record of its own.
        }
    }

    // Executes this many records, each by one fork, until it is told that it is the primary.
    private static async Task ReplayAsync(ScriptedApp app, int records, byte destination, bool reattach = true, ulong differsAt = 0)
    {
        await app.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        BindingWelcome welcome = BindingWelcome.Read(await app.HearAsync(BindingMessageType.Welcome));
        Assert.Equal(reattach ? BindingMode.Reattach : BindingMode.Recover, welcome.Mode);
        await app.HearAsync(BindingMessageType.Checkpoint);
        await app.DefineAsync();
        for (int i = 0; i < records; i++)
        {
            ulong lsn = RecordInfo.Read(await app.HearAsync(BindingMessageType.RecordInfo)).Lsn;
            await app.ForkAsync(lsn == differsAt ? Self : destination, (byte)lsn);
            await app.DoneAsync(lsn);
        }

        await app.HearAsync(BindingMessageType.BecomingPrimary);
    }

    private static async Task<List<RecordTrailer>> ReadAsync(LogStoreEnvironment environment)
    {
        var options = new LogStoreOptions { Cluster = "default", SegmentSize = 1 << 20, PageSize = 64 * 1024 };
        await using WriteAheadLog log = await LogView.OpenAsync("memory:", "bank", options, environment);
        await using LogReader reader = log.OpenReader(Lsn.None.Next, ReadLimit.Everything);
        var records = new List<RecordTrailer>();
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
            records.Add(RecordTrailer.Read(reader.Body, out _));
        }

        return records;
    }

    // One fork of method 1 with so many bytes as its arguments.
    private static byte[] Message(int bytes)
    {
        byte[] size = new byte[Varint.MaxSize64];
        int used = Varint.WriteZigZag(size, bytes + 4);
        return [.. size.AsSpan(0, used), 0, 0, 2, 1, .. new byte[bytes]];
    }
}
