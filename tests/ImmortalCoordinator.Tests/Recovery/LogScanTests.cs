using Ambrosia.ImmortalCoordinator.Ingest;
using Ambrosia.ImmortalCoordinator.Poison;
using Ambrosia.ImmortalCoordinator.Recovery;
using Ambrosia.ImmortalCoordinator.State;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.ImmortalCoordinator.Upgrading;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Storage;
using Ambrosia.Protocol;
using Lsn = Ambrosia.LogStore.Lsn;

namespace Ambrosia.ImmortalCoordinator.Tests.Recovery;

/// <summary>What recovery reads of the log before anybody connects.</summary>
public sealed class LogScanTests
{
    [Fact]
    public async Task A_quarantine_of_a_message_that_the_log_does_not_hold_stops_the_recovery()
    {
        await using WriteAheadLog log = await WriteAheadLog.OpenAsync("memory:", "bank", new LogStoreOptions(), new LogStoreEnvironment());
        await using ILogLease lease = (await log.TryAcquireAsync())!;
        await log.BecomeWriterAsync(lease);
        var pending = new PendingMarks();
        pending.Add(PoisonMark.Of(PoisonStep.Quarantined, new MessagePosition(Lsn: 7, Index: 0), "somebody"));
        LogAppender appender = log.StartAppending(new RecordSink(new SynchronizationContext(), pending, static (_, _) => { }));
        Assert.True(appender.TryReserve(8, out PageReservation room));
        room.Span.Clear();
        room.Publish();
        await appender.FlushAsync().OrFail();

        CoordinatorException missing = await Assert.ThrowsAsync<CoordinatorException>(() => LogScan.RunAsync(
            log, Lsn.None, new InputTable(), new OutputTable(static _ => throw new InvalidOperationException("nothing is sent here")), new PoisonState(), new UpgradeHistory(), epoch: 2).AsTask());
        Assert.Equal("IC-2033", missing.Code);
        Assert.Equal(ExitCode.StoreDamaged, missing.ExitCode);
    }
}
