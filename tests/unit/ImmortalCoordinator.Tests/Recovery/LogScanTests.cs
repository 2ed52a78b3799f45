using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Recovery;
using Ambrosia.Coordinator.State;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;
using Ambrosia.Protocol;


namespace Ambrosia.ImmortalCoordinator.Tests.Recovery;

/// <summary>What recovery reads of the log before anybody connects.</summary>
public sealed class LogScanTests
{
    [Fact]
    public async Task A_quarantine_of_a_message_that_the_log_does_not_hold_stops_the_recovery()
    {
        await using WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions(), new LogStoreEnvironment());
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
        await using WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions(), new LogStoreEnvironment());
        await using ILogLease lease = (await log.TryAcquireAsync())!;
        await log.BecomeWriterAsync(lease);
        await LogQuarantineAsync(log, new MessagePosition(Lsn: 1, Index: 0), before: 1);

        CoordinatorException bad = await Assert.ThrowsAsync<CoordinatorException>(() => ScanAsync(log, new Lsn(1)));
        Assert.Equal("IC-2016", bad.Code);
        Assert.Equal(ExitCode.StoreDamaged, bad.ExitCode);
        Assert.Contains("checkpoint 1, message 1:0, quarantined in record 2", bad.Message, StringComparison.Ordinal);
        // It comes as far as reading the message, which is none in these records.
        await Assert.ThrowsAsync<ProtocolException>(() => ScanAsync(log, Lsn.None));
    }

    [Fact]
    public async Task The_trailer_of_a_large_record_is_believed_by_its_own_checksum_and_its_payload_left_to_who_delivers_it()
    {
        var disk = new MemoryFileSystem();
        await using (WriteAheadLog first = await OpenAsync(disk))
        {
            await using ILogLease lease = (await first.TryAcquireAsync())!;
            await first.BecomeWriterAsync(lease);
            var pending = new PendingMarks(new CoreLimits());
            LogAppender appender = first.StartAppending(new RecordSink(
                new SynchronizationContext(), pending, new CoreLoops(CancellationToken.None).Do, static record => record.Dispose()));
            for (int i = 0; i < 3; i++)
            {
                pending.Add(new TrimPoint("shop", (ulong)(7 + i), 1, Guid.Empty));
                Assert.True(appender.TryReserve(200_000, out PageReservation room));
                room.Span.Fill(0xEE);
                room.Publish();
                await appender.FlushAsync().OrFail();
            }
        }

        string segment = disk.AllFiles().Single(static path => path.EndsWith(".seg", StringComparison.Ordinal));
        await ScanAgainAsync(disk); // A process that becomes the writer reads the last segment whole: that is another one from here on.
        int second = disk.ReadAll(segment).AsSpan().IndexOf("shop"u8) + 100_000;
        (ulong Trimmed, long Bytes) intact = await ScanAgainAsync(disk.Clone());
        Assert.Equal(9UL, intact.Trimmed);
        Assert.InRange(intact.Bytes, 600_000, 601_000);
        disk.FlipBits(segment, second, 0x01);
        Assert.Equal(0xEF, disk.ReadAll(segment)[second]);
        Assert.Equal(intact, await ScanAgainAsync(disk.Clone()));
        int name = disk.ReadAll(segment).AsSpan(second).IndexOf("shop"u8) + second;
        disk.FlipBits(segment, name, 0x01);
        LogCorruptException damage = await Assert.ThrowsAsync<LogCorruptException>(() => ScanAgainAsync(disk.Clone()));
        Assert.Equal(("IC-2001", 2UL), (damage.Code, damage.Lsn.Value));
    }

    [Fact]
    public void A_trailer_is_taken_from_the_end_of_a_body_only_with_its_own_checksum_for_that_very_record()
    {
        var marks = new PageMarks();
        marks.Trims.Add(new TrimPoint("shop", 7, 1, Guid.Empty));
        byte[] body = new byte[RecordTrailer.MaxSize(marks)];
        body = body[..RecordTrailer.Write(marks, body, new Lsn(5), new Epoch(2))];
        Assert.Equal("shop", RecordTrailer.TryReadEnd(body, new Lsn(5), new Epoch(2))!.Trims[0].Destination);
        Assert.Equal("shop", RecordTrailer.TryReadEnd([1, 2, 3, .. body], new Lsn(5), new Epoch(2))!.Trims[0].Destination);
        Assert.Equal("shop", RecordTrailer.Read(body, out _).Trims[0].Destination);
        Assert.Null(RecordTrailer.TryReadEnd(body, new Lsn(6), new Epoch(2)));
        Assert.Null(RecordTrailer.TryReadEnd(body, new Lsn(5), new Epoch(3)));
        Assert.Null(RecordTrailer.TryReadEnd(body.AsSpan(1), new Lsn(5), new Epoch(2)));
        Assert.Null(RecordTrailer.TryReadEnd([], new Lsn(5), new Epoch(2)));
        for (int bit = 0; bit < 8 * body.Length; bit++)
        {
            byte[] damaged = [.. body];
            damaged[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.Null(RecordTrailer.TryReadEnd(damaged, new Lsn(5), new Epoch(2)));
        }

        // As builds wrote it that had no checksum there, and none of the three lists before it.
        byte[] before = [1, .. body.AsSpan(1, body.Length - 12), .. BitConverter.GetBytes(body.Length - 11)];
        Assert.Equal("shop", RecordTrailer.Read(before, out _).Trims[0].Destination);
        Assert.Null(RecordTrailer.TryReadEnd(before, new Lsn(5), new Epoch(2)));
    }

    private static ValueTask<WriteAheadLog> OpenAsync(MemoryFileSystem disk) =>
        LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions(), new LogStoreEnvironment { Memory = disk.NewProcess() });

    /// <summary>What recovery learns as the next writer: how far was trimmed, and the bytes of log.</summary>
    private static async Task<(ulong Trimmed, long Bytes)> ScanAgainAsync(MemoryFileSystem disk)
    {
        await using WriteAheadLog log = await OpenAsync(disk);
        await using ILogLease lease = (await log.TryAcquireAsync())!;
        await log.BecomeWriterAsync(lease);
        await using var state = new CoordinatorState("bank", static destination =>
            new OutputBuffer(destination, new OutputMemory(1 << 20),
                new SpillFile(new MemoryFileSystem(), "/spill", destination, new SpillBudget(1 << 20))));
        long bytes = await LogScan.RunAsync(log, Lsn.None, state, epoch: 2);
        Assert.Equal(log.DurableLsn, state.Applied);
        return (state.Outputs.Get("shop").Trimmed, bytes);
    }

    private static async Task<long> ScanAsync(WriteAheadLog log, Lsn from)
    {
        await using var state = new CoordinatorState("bank", static _ => throw new InvalidOperationException("nothing is sent here"));
        state.BeginBehind(from);
        return await LogScan.RunAsync(log, from, state, epoch: 2);
    }

    /// <summary>Logs so many records without messages, and one that says that a message is quarantined.</summary>
    private static async Task LogQuarantineAsync(WriteAheadLog log, MessagePosition message, int before = 0)
    {
        var pending = new PendingMarks(new CoreLimits());
        LogAppender appender = log.StartAppending(new RecordSink(
                new SynchronizationContext(), pending, new CoreLoops(CancellationToken.None).Do, static record => record.Dispose()));
        for (int i = 0; i <= before; i++)
        {
            if (i == before)
            {
                pending.Add(QuarantineStep.Of(PoisonStep.Quarantined, message, "somebody"));
            }

            Assert.True(appender.TryReserve(8, out PageReservation room));
            room.Span.Clear();
            room.Publish();
            await appender.FlushAsync().OrFail();
        }
    }
}
