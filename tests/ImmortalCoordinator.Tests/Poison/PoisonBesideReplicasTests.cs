using Ambrosia.ImmortalCoordinator.Admin;
using Ambrosia.ImmortalCoordinator.Hosting;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
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

    private Task<CoreUnderTest> StartAsync(int number) =>
        CoreUnderTest.StartAsync(change: options => options.ReplicaId = number, log: _disk, processes: new AppProcesses());

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
        string done = await primary.Status.ChangeDeadLetterAsync(DeadLetterVerb.Quarantine, new MessagePosition(lsn, 0), default);
        Assert.Contains("is quarantined", done, StringComparison.Ordinal);
    }

    private static async Task ExpectSkipAsync(ScriptedApp app, ulong lsn) =>
        Assert.Equal(new MessagePosition(lsn, 0), MessagePosition.ReadSkip(await app.HearAsync(BindingMessageType.Skip, before: BindingMessageType.RecordInfo)));
}
