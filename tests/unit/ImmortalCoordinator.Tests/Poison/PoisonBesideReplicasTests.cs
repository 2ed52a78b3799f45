using System.Buffers;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Poison;

/// <summary>A message is taken out by the primary, beside which a secondary's app has executed it or not.</summary>
public sealed class PoisonBesideReplicasTests
{
    private readonly LogStoreEnvironment _disk = new();

    [Fact] // The secondary's buffers hold what never happened: as primary it would send that.
    public async Task A_replica_whose_app_has_survived_a_message_that_is_then_quarantined_begins_again()
    {
        await using CoreUnderTest primary = await StartAsync(0);
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(primary, 5);
        await using CoreUnderTest secondary = await StartAsync(1);
        await using ScriptedApp survivor = await BeginMessageAsync(secondary, record.Lsn);
        await survivor.ReportAsync(record.Lsn, 1, complete: true);
        await Within.Until(() => secondary.Status.Snapshot().App.Lsn >= record.Lsn);

        await QuarantineAsync(primary, record.Lsn);

        CoordinatorException ended = await Assert.ThrowsAsync<CoordinatorException>(() => secondary.Running.OrFail());
        Assert.Equal("IC-3011", ended.Code);
        Assert.Contains($"bank: message {record.Lsn}:0", ended.Message, StringComparison.Ordinal);
        await using CoreUnderTest again = await StartAsync(1);
        await using ScriptedApp app = await PoisonedApp.ComeBackAsync(again);
        await ExpectSkipAsync(app, record.Lsn);
    }

    [Fact]
    public async Task A_replica_whose_app_has_only_begun_a_message_that_is_quarantined_begins_its_app_again()
    {
        await using CoreUnderTest primary = await StartAsync(0);
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(primary, 5);
        await using CoreUnderTest secondary = await StartAsync(1);
        await using ScriptedApp begun = await BeginMessageAsync(secondary, record.Lsn);

        await QuarantineAsync(primary, record.Lsn);

        await using ScriptedApp app = await PoisonedApp.ComeBackAsync(secondary);
        await ExpectSkipAsync(app, record.Lsn);
        Assert.False(secondary.Running.IsCompleted);
    }

    [Fact] // A replica that begins with that checkpoint has executed the message.
    public async Task A_message_that_a_replica_has_survived_and_made_a_checkpoint_behind_is_not_quarantined()
    {
        // It adopts checkpoints with each: this one it does not know.
        await using CoreUnderTest primary = await StartAsync(0, static options => options.Heartbeat = TimeSpan.FromHours(1));
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(primary, 5);
        await PoisonedApp.DieAgainAsync(primary, record.Lsn, 0);
        await using CoreUnderTest secondary = await StartAsync(1);
        await using ScriptedApp survivor = await SurviveAsync(secondary, record.Lsn);
        ulong taken = await (await TakeCheckpointAsync(secondary, survivor, 99)).OrFail();

        InvalidOperationException refused =
            await Assert.ThrowsAsync<InvalidOperationException>(() => QuarantineNowAsync(primary, record.Lsn));

        Assert.Contains($"IC-1037 {record.Lsn}:0 cannot be quarantined", refused.Message, StringComparison.Ordinal);
        // Unless it has found the checkpoint by itself meanwhile.
        Assert.Matches($"has made the checkpoint at {taken}|it was executed before", refused.Message);
        Assert.Equal("", (await primary.Status.DeadLettersAsync(null, default)).Suspect);
        await using ScriptedApp app = await PoisonedApp.ComeBackAsync(primary);
        await app.HearAsync(BindingMessageType.BecomingPrimary, before: BindingMessageType.Rpc);
    }

    [Fact]
    public async Task A_checkpoint_that_is_under_way_when_its_primary_decides_never_gets_its_name()
    {
        await using CoreUnderTest primary = await StartAsync(0);
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(primary, 5);
        await PoisonedApp.DieAgainAsync(primary, record.Lsn, 0);
        await using CoreUnderTest secondary = await StartAsync(1, static options => options.CheckpointRate = 64 << 10);
        await using ScriptedApp survivor = await SurviveAsync(secondary, record.Lsn);
        // All of it is taken at once, and written in three seconds.
        Task<ulong> taken = await TakeCheckpointAsync(secondary, survivor, 198 << 10);

        Assert.Contains("is quarantined", await QuarantineNowAsync(primary, record.Lsn), StringComparison.Ordinal);

        CoordinatorException ended = await Assert.ThrowsAsync<CoordinatorException>(() => secondary.Running.OrFail());
        Assert.Equal("IC-3011", ended.Code);
        Assert.False(taken.IsCompletedSuccessfully);
        await using WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions { Cluster = "default" }, _disk);
        await using CheckpointReader newest = (await log.OpenNewestCheckpointAsync())!;
        Assert.True(newest.Lsn.Value < record.Lsn, $"the newest checkpoint is at {newest.Lsn}");
    }

    [Fact] // Its process may have been stopped, and go on with what it has begun when it is woken.
    public async Task Nothing_is_quarantined_while_the_replica_that_makes_the_checkpoints_does_not_step_back()
    {
        await using CoreUnderTest primary = await StartAsync(0);
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(primary, 5);
        await PoisonedApp.DieAgainAsync(primary, record.Lsn, 0);
        await using WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions { Cluster = "default" }, _disk);
        await using (await log.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, default))
        {
            InvalidOperationException refused =
                await Assert.ThrowsAsync<InvalidOperationException>(() => QuarantineNowAsync(primary, record.Lsn));
            Assert.Contains("IC-1037", refused.Message, StringComparison.Ordinal);
            Assert.Contains("did not step back within 5 s (pid", refused.Message, StringComparison.Ordinal);
        }

        Assert.Contains("is quarantined", await QuarantineNowAsync(primary, record.Lsn), StringComparison.Ordinal);
    }

    [Fact] // Else the others would wait for its end, and make no checkpoints, as long as this primary lives.
    public async Task A_decision_that_the_store_prevents_has_ended_for_everybody()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest primary = await CoreUnderTest.StartAsync(change: static options =>
            options.ReplicaId = 0, log: disk.Environment, processes: new AppProcesses());
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(primary, 5);
        await PoisonedApp.DieAgainAsync(primary, record.Lsn, 0);
        disk.RefusesCheckpoints = true;
        await Assert.ThrowsAnyAsync<IOException>(() => QuarantineNowAsync(primary, record.Lsn).OrFail());
        disk.RefusesCheckpoints = false;
        await using WriteAheadLog log =
            await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions { Cluster = "default" }, disk.Environment);
        await using LogReader reader = log.OpenReader(Lsn.None, ReadLimit.Everything);
        var steps = new List<PoisonStep>();
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
            steps.AddRange(RecordTrailer.Read(reader.Body, out _).Poison.Select(static mark => mark.Step));
        }

        Assert.Equal([PoisonStep.QuarantineProposed, PoisonStep.QuarantineRejected], steps[^2..]);
    }

    [Fact]
    public async Task A_replica_that_is_not_the_one_that_makes_the_checkpoints_makes_none()
    {
        await using CoreUnderTest primary = await StartAsync(0);
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(primary, 5);
        await using CoreUnderTest checkpointer = await StartAsync(1);
        await Within.Until(() => checkpointer.Status.Snapshot().Role == "checkpointer");
        await using CoreUnderTest secondary = await StartAsync(2);
        await using ScriptedApp app = await BeginMessageAsync(secondary, record.Lsn);
        await app.ReportAsync(record.Lsn, 1, complete: true);
        await Within.Until(() => secondary.Status.Snapshot().App.Lsn >= record.Lsn);

        Task<ulong> taken = await TakeCheckpointAsync(secondary, app, 99);

        InvalidOperationException refused = await Assert.ThrowsAsync<InvalidOperationException>(() => taken.OrFail());
        Assert.Contains("another replica makes the checkpoints", refused.Message, StringComparison.Ordinal);
    }

    private Task<CoreUnderTest> StartAsync(int number, Action<CoordinatorOptions>? change = null) => CoreUnderTest.StartAsync(
        change: options =>
        {
            options.ReplicaId = number;
            change?.Invoke(options);
        },
        log: _disk,
        processes: new AppProcesses());

    /// <summary>A secondary's app that has executed the message, on the replica that makes the checkpoints.</summary>
    private static async Task<ScriptedApp> SurviveAsync(CoreUnderTest secondary, ulong lsn)
    {
        ScriptedApp survivor = await BeginMessageAsync(secondary, lsn);
        await survivor.ReportAsync(lsn, 1, complete: true);
        await Within.Until(() => secondary.Status.Snapshot() is { Role: "checkpointer" } status && status.App.Lsn >= lsn);
        return survivor;
    }

    /// <summary>Asks for a checkpoint, and lets the app say so many bytes.</summary>
    private static async Task<Task<ulong>> TakeCheckpointAsync(CoreUnderTest core, ScriptedApp app, int bytes)
    {
        Task<ulong> taken = core.Status.CheckpointAsync(default);
        await app.HearAsync(BindingMessageType.TakeCheckpoint);
        byte[] size = new byte[Varint.MaxSize64];
        await app.SayAsync(BindingMessageType.Checkpoint, output => output.Write(size.AsSpan(0, Varint.WriteZigZag(size, bytes))));
        // They look like heartbeats to who reads them message by message.
        await app.SayBytesAsync([.. Enumerable.Range(0, bytes).Select(static i => (byte)(i % 3 == 0 ? 4 : i % 3 == 1 ? 79 : 0))]);
        return taken;
    }

    private static async Task<ScriptedApp> BeginMessageAsync(CoreUnderTest secondary, ulong lsn)
    {
        ScriptedApp app = await PoisonedApp.ComeBackAsync(secondary);
        await app.ReplayToAsync(lsn);
        await app.HearAsync(BindingMessageType.Rpc);
        return app;
    }

    // Not on hold: an app must have died of it in this life of the coordinator.
    private static async Task QuarantineAsync(CoreUnderTest primary, ulong lsn)
    {
        await PoisonedApp.DieAgainAsync(primary, lsn, 0);
        Assert.Contains("is quarantined", await QuarantineNowAsync(primary, lsn), StringComparison.Ordinal);
    }

    private static Task<string> QuarantineNowAsync(CoreUnderTest primary, ulong lsn) =>
        primary.Status.ChangeDeadLetterAsync(DeadLetterVerb.Quarantine, new MessagePosition(lsn, 0), default);

    private static async Task ExpectSkipAsync(ScriptedApp app, ulong lsn) =>
        Assert.Equal(new MessagePosition(lsn, 0),
            MessagePosition.ReadSkip(await app.HearAsync(BindingMessageType.Skip, before: BindingMessageType.RecordInfo)));
}
