using System.Text;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

public abstract partial class LogStoreConformance
{
    [Fact]
    public async Task Records_continue_over_segments_with_epoch_chain_and_growing_time()
    {
        await using (LogHarness writer = await StartAsync(SmallSegments))
        {
            for (int i = 0; i < 60; i++)
            {
                await writer.AppendAsync(Filled(3000, (byte)i));
            }

            Assert.True(writer.Log.Segments.Count >= 3);
        }

        await using LogHarness next = await StartAsync(SmallSegments);
        await using LogReader reader = next.Log.OpenReader(Lsn.None);
        (ulong lsn, long time, ulong segment) = (0, 0, 0);
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
            Assert.Equal(++lsn, reader.Header.Lsn.Value);
            Assert.Equal(new Epoch(1), reader.Header.Epoch);
            Assert.True(reader.Header.Timestamp >= time);
            Assert.True(reader.Header.SegmentNumber >= segment);
            Assert.Equal(Filled(3000, (byte)(lsn - 1)), reader.Body[..3000].ToArray());
            (time, segment) = (reader.Header.Timestamp, reader.Header.SegmentNumber);
        }

        Assert.Equal(60UL, lsn);
        Assert.True(segment >= 3);
    }

    [Fact]
    public async Task The_coordinator_is_told_of_each_new_segment()
    {
        await using WriteAheadLog log = await OpenAsync(SmallSegments);
        var rolled = new List<SegmentHeader>();
        log.SegmentRolled = rolled.Add;
        LogHarness writer = await LogHarness.StartAsync(log);
        for (int i = 0; i < 40; i++)
        {
            await writer.AppendAsync(Filled(4000, 1));
        }

        await writer.DisposeAsync();
        Assert.Equal(log.Segments.Skip(1).Select(segment => segment.Number), rolled.Select(segment => segment.Number));
        Assert.NotEmpty(rolled);
    }

    [Fact]
    public async Task A_message_larger_than_a_page_gets_a_record_of_its_own()
    {
        var options = new LogStoreOptions { PageSize = 4096, SegmentSize = 64 * 1024 };
        await using LogHarness writer = await StartAsync(options);
        await writer.PublishAsync(Bytes("before"));
        await writer.PublishAsync(Filled(200_000, 0xAB)); // Larger than a whole segment, too.
        await writer.PublishAsync(Bytes("after"));
        await writer.Appender.FlushAsync();
        var large = writer.Sink.Durable.Single(record => record.Payload.Length == 200_000);
        Assert.Equal([1, 0, 0, 0], large.Trailer);
        Assert.Equal(Filled(200_000, 0xAB), large.Payload);
        List<(Lsn Lsn, byte[] Body)> records = await LogHarness.ReadAllAsync(writer.Log, Lsn.None);
        Assert.Equal(3, records.Count);
        Assert.Equal("after", Encoding.UTF8.GetString(records[2].Body[..^4]));
    }

    [Fact] // A writer with a lower limit than the one before would else take it for a torn write, and cut it.
    public async Task The_last_record_counts_although_the_limit_for_records_was_lowered_since()
    {
        await using (LogHarness writer = await StartAsync(new LogStoreOptions { PageSize = 4096 }))
        {
            await writer.AppendAsync(Bytes("before"), Filled(100_000, 0xAB));
        }

        await using LogHarness next = await StartAsync(new LogStoreOptions { PageSize = 4096, MaxRecordSize = 8192 });
        Assert.Equal((2UL, 0L), (next.Start.LastLsn.Value, next.Start.TornBytes));
        List<(Lsn Lsn, byte[] Body)> records = await LogHarness.ReadAllAsync(next.Log, Lsn.None);
        Assert.Equal(Filled(100_000, 0xAB), records[1].Body[..^4]);
    }

    [Fact]
    public async Task A_trailer_larger_than_the_page_keeps_room_for_is_written_whole()
    {
        var sink = new CollectingSink { TrailerPadding = 50_000 };
        await using LogHarness writer = await StartAsync(new LogStoreOptions { PageSize = 4096 }, sink);
        await writer.AppendAsync(Bytes("x"), Bytes("y"));
        List<(Lsn Lsn, byte[] Body)> records = await LogHarness.ReadAllAsync(writer.Log, Lsn.None);
        Assert.Equal(2, records.Count);
        Assert.All(records, record => Assert.Equal(1 + 4 + 50_000, record.Body.Length));
    }

    [Fact]
    public async Task Messages_of_many_writers_are_each_logged_once_and_in_the_order_of_each_writer()
    {
        const int writers = 4;
        const int messagesEach = 5000;
        var options = new LogStoreOptions { PageSize = 4096, PageCount = 3, SegmentSize = 256 * 1024 };
        await using LogHarness harness = await StartAsync(options);
        await Task.WhenAll(Enumerable.Range(0, writers).Select(writer => Task.Run(async () =>
        {
            for (int i = 0; i < messagesEach; i++)
            {
                byte[] message = new byte[i % 500 == 7 ? 10_000 : 12 + i % 200]; // Some do not fit into a page.
                BitConverter.TryWriteBytes(message, message.Length);
                BitConverter.TryWriteBytes(message.AsSpan(4), writer);
                BitConverter.TryWriteBytes(message.AsSpan(8), i);
                await harness.PublishAsync(message);
            }
        })));
        await harness.Appender.FlushAsync();
        int[] next = new int[writers];
        int counted = 0;
        foreach ((RecordHeader header, byte[] payload, byte[] trailer) in harness.Sink.Durable)
        {
            counted += BitConverter.ToInt32(trailer);
            for (int at = 0; at < payload.Length; at += BitConverter.ToInt32(payload, at))
            {
                Assert.Equal(next[BitConverter.ToInt32(payload, at + 4)]++, BitConverter.ToInt32(payload, at + 8));
            }
        }

        Assert.All(next, count => Assert.Equal(messagesEach, count));
        Assert.Equal(writers * messagesEach, counted);
        Assert.Equal(harness.Sink.Durable.Count, (await LogHarness.ReadAllAsync(harness.Log, Lsn.None)).Count);
    }

    [Fact]
    public async Task A_reader_of_the_writer_never_passes_what_is_durable_and_goes_on_when_more_is()
    {
        await using LogHarness writer = await StartAsync();
        await using LogReader reader = writer.Log.OpenReader(Lsn.None);
        Assert.Equal(ReadOutcome.EndOfLog, await reader.ReadAsync());
        for (int i = 1; i <= 20; i++)
        {
            await writer.AppendAsync(Filled(100 * i, (byte)i));
            Assert.Equal(ReadOutcome.Record, await reader.ReadAsync());
            Assert.Equal(new Lsn((ulong)i), reader.Header.Lsn);
            Assert.Equal(ReadOutcome.EndOfLog, await reader.ReadAsync());
        }
    }

    [Fact]
    public async Task A_reader_of_another_process_sees_a_record_only_when_a_later_one_proves_it_durable()
    {
        await using LogHarness writer = await StartAsync();
        await using WriteAheadLog view = await OpenAsync();
        await using LogReader reader = view.OpenReader(Lsn.None);
        Assert.Equal(ReadOutcome.EndOfLog, await reader.ReadAsync());
        await writer.AppendAsync(Bytes("a"));
        Assert.Equal(ReadOutcome.EndOfLog, await reader.ReadAsync()); // docs/internals/exactly-once.md H7: it could still disappear.
        await writer.AppendAsync(Bytes("b"));
        Assert.Equal(ReadOutcome.Record, await reader.ReadAsync());
        Assert.Equal(new Lsn(1), reader.Header.Lsn);
        Assert.Equal(ReadOutcome.EndOfLog, await reader.ReadAsync());
        writer.Appender.RequestFlush(); // The durable mark.
        await Poll.UntilAsync(() => writer.Appender.DurableLsn == new Lsn(3));
        Assert.Equal(ReadOutcome.Record, await reader.ReadAsync());
        Assert.Equal(new Lsn(2), reader.Header.Lsn);
        Assert.Equal(ReadOutcome.EndOfLog, await reader.ReadAsync());
        Assert.Equal(3, (await LogHarness.ReadAllAsync(view, Lsn.None, ReadLimit.Everything)).Count);
    }

    [Fact]
    public async Task A_reader_of_another_process_follows_over_segments_and_a_new_epoch()
    {
        await using WriteAheadLog view = await OpenAsync(SmallSegments);
        await using LogReader reader = view.OpenReader(Lsn.None);
        ulong seen = 0;
        for (int life = 0; life < 3; life++)
        {
            await using LogHarness writer = await StartAsync(SmallSegments);
            for (int i = 0; i < 30; i++)
            {
                await writer.AppendAsync(Filled(4000, (byte)i));
                while (await reader.ReadAsync() == ReadOutcome.Record)
                {
                    Assert.Equal(++seen, reader.Header.Lsn.Value);
                }
            }
        }

        await using LogHarness last = await StartAsync(SmallSegments);
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
            Assert.Equal(++seen, reader.Header.Lsn.Value);
        }

        Assert.Equal(90UL, seen);
        Assert.Equal(new Epoch(4), last.Start.Epoch);
    }

    [Fact]
    public async Task A_secondary_that_is_promoted_reads_on_to_the_very_end()
    {
        LogHarness primary = await StartAsync(SmallSegments);
        await using WriteAheadLog secondary = await OpenAsync(SmallSegments);
        await using LogReader reader = secondary.OpenReader(Lsn.None);
        ulong seen = 0;
        for (int i = 0; i < 50; i++)
        {
            await primary.AppendAsync(Filled(3000, (byte)i));
            while (await reader.ReadAsync() == ReadOutcome.Record)
            {
                Assert.Equal(++seen, reader.Header.Lsn.Value);
            }
        }

        Assert.Equal(49UL, seen); // The last record is not proven durable to a reader.
        await primary.DisposeAsync();
        await using LogHarness promoted = await LogHarness.StartAsync(secondary);
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
            Assert.Equal(++seen, reader.Header.Lsn.Value);
        }

        Assert.Equal(50UL, seen);
        await promoted.AppendAsync(Bytes("as primary"));
        Assert.Equal(ReadOutcome.Record, await reader.ReadAsync());
        Assert.Equal(new Epoch(2), reader.Header.Epoch);
    }

    [Fact]
    public async Task A_durable_record_can_be_held_while_the_log_goes_on()
    {
        var sink = new CollectingSink();
        var held = new List<DurableRecord>();
        sink.Observed = record =>
        {
            record.AddReference();
            held.Add(record);
        };
        await using LogHarness writer = await StartAsync(new LogStoreOptions { PageSize = 4096, PageCount = 2 }, sink);
        for (int i = 0; i < 50; i++)
        {
            await writer.AppendAsync(Filled(100, (byte)i));
        }

        for (int i = 0; i < 50; i++)
        {
            Assert.Equal(Filled(100, (byte)i), held[i].Payload.ToArray());
            held[i].Dispose();
        }

        Assert.Throws<InvalidOperationException>(held[0].Dispose);
    }

    [Fact]
    public async Task Nothing_can_be_appended_after_the_end()
    {
        LogHarness writer = await StartAsync();
        await writer.PublishAsync(Bytes("last words"));
        await writer.DisposeAsync();
        Assert.Single(writer.Sink.Durable);
        Assert.False(writer.Appender.TryReserve(1, out _));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await writer.Appender.WaitForPageAsync());
    }

    [Theory]
    [InlineData(new[] { 100, 40_000, 700_000, 10, 600_000, 900_000, 3000, 33_000, 1 })]
    [InlineData(new[] { 800_000, 540_000 })]
    [InlineData(new[] { 1, 2, 3, 5000 })]
    public async Task A_reader_of_ends_passes_every_record_and_reads_one_whole_on_demand(int[] sizes)
    {
        await using LogHarness writer = await StartAsync(SmallSegments);
        for (int i = 0; i < sizes.Length; i++)
        {
            await writer.AppendAsync(Filled(sizes[i], (byte)(i + 1)));
        }

        List<(Lsn Lsn, byte[] Body)> whole = await LogHarness.ReadAllAsync(writer.Log, Lsn.None);
        int left = 0;
        await using LogReader reader = writer.Log.OpenReader(Lsn.None, endsOnly: true);
        foreach ((Lsn lsn, byte[] body) in whole)
        {
            Assert.Equal(ReadOutcome.Record, await reader.ReadAsync());
            Assert.Equal((lsn, (uint)body.Length), (reader.Header.Lsn, reader.Header.BodySize));
            Assert.Equal(body[^reader.Body.Length..], reader.Body.ToArray());
            Assert.Equal(reader.IsWhole ? body.Length : Math.Min(4096, body.Length), reader.Body.Length);
            left += reader.IsWhole ? 0 : 1;
            if (lsn.Value % 2 == 0)
            {
                Assert.Equal(ReadOutcome.Record, await reader.ReadWholeAsync());
                Assert.True(reader.IsWhole);
                Assert.Equal(body, reader.Body.ToArray());
            }
        }

        Assert.Equal(ReadOutcome.EndOfLog, await reader.ReadAsync());
        Assert.True(left >= sizes.Count(static size => size > 512 * 1024));
    }
}
