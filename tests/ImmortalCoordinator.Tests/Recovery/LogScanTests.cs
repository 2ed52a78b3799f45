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
        await LogQuarantineAsync(log, new MessagePosition(Lsn: 7, Index: 0));

        CoordinatorException missing = await Assert.ThrowsAsync<CoordinatorException>(() => ScanAsync(log, Lsn.None));
        Assert.Equal("IC-2033", missing.Code);
        Assert.Equal(ExitCode.StoreDamaged, missing.ExitCode);
    }

    [Fact] // Builds that did not keep checkpoints back while they decided could leave one.
    public async Task A_checkpoint_that_contains_a_message_which_was_quarantined_stops_the_recovery_and_an_older_one_does_not()
    {
        await using WriteAheadLog log = await WriteAheadLog.OpenAsync("memory:", "bank", new LogStoreOptions(), new LogStoreEnvironment());
        await using ILogLease lease = (await log.TryAcquireAsync())!;
        await log.BecomeWriterAsync(lease);
        await LogQuarantineAsync(log, new MessagePosition(Lsn: 1, Index: 0), before: 1);

        CoordinatorException bad = await Assert.ThrowsAsync<CoordinatorException>(() => ScanAsync(log, new Lsn(1)));
        Assert.Equal("IC-2016", bad.Code);
        Assert.Equal(ExitCode.StoreDamaged, bad.ExitCode);
        Assert.Contains("checkpoint 1, message 1:0, quarantined in record 2", bad.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ProtocolException>(() => ScanAsync(log, Lsn.None)); // It comes as far as reading the message, which is none in these records.
    }

    private static Task<long> ScanAsync(WriteAheadLog log, Lsn from) => LogScan.RunAsync(
        log, from, new InputTable(), new OutputTable(static _ => throw new InvalidOperationException("nothing is sent here")), new PoisonState(), new UpgradeHistory(), epoch: 2).AsTask();

    /// <summary>Logs so many records without messages, and one that says that a message is quarantined.</summary>
    private static async Task LogQuarantineAsync(WriteAheadLog log, MessagePosition message, int before = 0)
    {
        var pending = new PendingMarks();
        LogAppender appender = log.StartAppending(new RecordSink(new SynchronizationContext(), pending, static (_, _) => { }));
        for (int i = 0; i <= before; i++)
        {
            if (i == before)
            {
                pending.Add(PoisonMark.Of(PoisonStep.Quarantined, message, "somebody"));
            }

            Assert.True(appender.TryReserve(8, out PageReservation room));
            room.Span.Clear();
            room.Publish();
            await appender.FlushAsync().OrFail();
        }
    }
}
