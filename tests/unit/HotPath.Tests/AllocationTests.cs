using Ambrosia.Bench;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Bench;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.HotPath.Tests;

/// <summary>Nothing is allocated per message: counted in bytes, which are the same on every machine, not in seconds.</summary>
public sealed class AllocationTests
{
    private const int PerRecord = 8192;
    private const int Records = 60;
    private const int RecordBytes = 160 * 1024;
    private const int Rounds = 5;

    [Theory]
    [InlineData(16)]
    [InlineData(200)]
    public async Task Handling_a_fork_and_sending_one_allocates_nothing_per_message(int size)
    {
        byte[] message = Messages.Fork(size);
        int perRecord = RecordBytes / message.Length;
        byte[] payload = [.. Enumerable.Repeat(message, perRecord).SelectMany(static bytes => bytes)];
        var relay = new Relay();
        var peer = new InMemoryPeer();
        await peer.AttachAsync(relay);
        double perMessage = double.MaxValue;
        for (int round = 0; round < Rounds; round++)
        {
            // The best of some: buffers and compiled code are made once, and a collection may let pooled buffers go.
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await peer.RunAsync(payload, perRecord, Records);
            perMessage = Math.Min(perMessage, (double)(GC.GetTotalAllocatedBytes(precise: true) - before) / (Records * perRecord));
        }

        Assert.Equal((long)Rounds * Records * perRecord, relay.Received);
        Assert.True(perMessage < 1,
            $"{perMessage:0.00} bytes are allocated per message of {size} bytes; buffers of a record are all that may be made.");
        await peer.DetachAsync();
    }

    [Fact]
    public async Task Appending_to_the_log_allocates_nothing_per_message()
    {
        const int Messages = 400_000;
        await using WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "guard", new LogStoreOptions(), new LogStoreEnvironment());
        await using ILogLease lease = await log.AcquireAsync(CancellationToken.None);
        await log.BecomeWriterAsync(lease);
        var sink = new DiscardingSink();
        LogAppender appender = log.StartAppending(sink);
        await AppendAsync(appender, Messages);

        long before = GC.GetTotalAllocatedBytes(precise: true);
        long bytesBefore = sink.Bytes;
        await AppendAsync(appender, Messages);
        double perMessage = (double)(GC.GetTotalAllocatedBytes(precise: true) - before) / Messages;

        Assert.Equal(16L * Messages, sink.Bytes - bytesBefore);
        // The memory disk keeps the messages themselves, with the room that its chunks and its next segment take.
        Assert.True(perMessage < 16 * 6, $"{perMessage:0.00} bytes are allocated per message of 16 bytes.");
    }

    [Fact]
    public async Task A_small_record_that_its_writer_commits_itself_allocates_nothing_but_its_object()
    {
        const int Records = 1000;
        string folder = Directory.CreateTempSubdirectory("ambrosia-guard-").FullName;
        try
        {
            var options = new LogStoreOptions { ZeroAhead = 0, SpareSegments = 0 };
            await using WriteAheadLog log =
                await LogStores.OpenLogAsync("file:" + folder, "guard", options, new LogStoreEnvironment { Time = new StandingTime() });
            await using ILogLease lease = await log.AcquireAsync(CancellationToken.None);
            await log.BecomeWriterAsync(lease);
            LogAppender appender = log.StartAppending(new DiscardingSink());
            // Compiled by then, and the buffers made.
            Assert.True(SpinWait.SpinUntil(() => CommitHere(appender, 100) == 100, TimeSpan.FromMinutes(1)), "the log's loop never rested");

            long before = GC.GetAllocatedBytesForCurrentThread();
            int here = CommitHere(appender, Records);
            double perRecord = (double)(GC.GetAllocatedBytesForCurrentThread() - before) / Records;

            Assert.Equal(Records, here);
            // The record's own object is made, 104 bytes; no task, no state of a method that waits.
            Assert.True(perRecord < 128, $"{perRecord:0.00} bytes are allocated per record.");
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void Counting_and_checking_a_batch_allocates_nothing()
    {
        byte[] batch = Messages.Run(16, PerRecord);
        Assert.Equal((PerRecord, PerRecord), MessageScanner.Count(batch));
        uint checksum = Crc32C.Compute(batch);

        long fewest = long.MaxValue;
        for (int round = 0; round < Rounds; round++)
        {
            // The best of some: better code of the same methods may be made on this thread meanwhile, once.
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < 20; i++)
            {
                (int count, _) = MessageScanner.Count(batch);
                if (count != PerRecord || Crc32C.Compute(batch) != checksum)
                {
                    throw new InvalidOperationException("the batch changed");
                }
            }

            fewest = Math.Min(fewest, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        Assert.Equal(0, fewest);
    }

    private static async Task AppendAsync(LogAppender appender, int messages)
    {
        for (int i = 0; i < messages; i++)
        {
            PageReservation room;
            while (!appender.TryReserve(16, out room))
            {
                await appender.WaitForPageAsync();
            }

            room.Span.Fill(1);
            room.Publish();
        }

        await appender.FlushAsync();
    }

    /// <summary>One record per message; returns how many were durable when the commit returned.</summary>
    private static int CommitHere(LogAppender appender, int records)
    {
        int here = 0;
        for (int i = 0; i < records; i++)
        {
            Lsn before = appender.DurableLsn;
            if (appender.TryReserve(16, out PageReservation room))
            {
                room.Span.Fill(1);
                room.PublishQuietly();
                appender.Commit();
                here += appender.DurableLsn > before ? 1 : 0;
            }
        }

        return here;
    }

    /// <summary>No device is slow by this clock.</summary>
    private sealed class StandingTime : TimeProvider
    {
        public override long GetTimestamp() => 0;
    }
}
