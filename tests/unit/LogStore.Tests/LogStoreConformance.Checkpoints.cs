using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

public abstract partial class LogStoreConformance
{
    private static LogStoreOptions SmallBlocks => SmallSegments with { CheckpointBlockSize = 4096 };

    [Fact]
    public async Task A_checkpoint_is_streamed_in_and_out_unchanged()
    {
        byte[][] parts = [.. Enumerable.Range(0, 20).Select(i => Filled(i * 777, (byte)i))];
        await using (LogHarness writer = await StartAsync(SmallBlocks))
        {
            await writer.AppendAsync(Bytes("x"));
            await writer.CheckpointAsync(new Lsn(1), parts);
        }

        await using WriteAheadLog log = await OpenAsync(SmallBlocks);
        await using CheckpointReader reader = (await log.OpenNewestValidCheckpointAsync())!;
        Assert.Equal(new Lsn(1), reader.Lsn);
        Assert.Equal(new Epoch(1), reader.Header.Epoch);
        Assert.Equal(parts.SelectMany(part => part), await ReadCheckpointAsync(reader));
        Assert.Equal(new Lsn(1), Assert.Single(log.Checkpoints).Lsn);
    }

    [Fact]
    public async Task An_empty_checkpoint_and_one_before_the_first_record_are_fine()
    {
        await using (LogHarness writer = await StartAsync())
        {
            await writer.CheckpointAsync(Lsn.None);
        }

        await using LogHarness next = await StartAsync();
        await using CheckpointReader reader = (await next.Log.OpenNewestValidCheckpointAsync())!;
        Assert.Equal(Lsn.None, reader.Lsn);
        Assert.Empty(await ReadCheckpointAsync(reader));
    }

    [Fact]
    public async Task The_newest_checkpoint_is_found_or_the_newest_not_beyond_a_position()
    {
        await using LogHarness writer = await StartAsync(new LogStoreOptions { Retention = RetentionPolicy.All });
        for (ulong lsn = 1; lsn <= 4; lsn++)
        {
            await writer.AppendAsync(Bytes("x"));
            await writer.CheckpointAsync(new Lsn(lsn), [(byte)lsn]);
        }

        await using CheckpointReader newest = (await writer.Log.OpenNewestValidCheckpointAsync())!;
        Assert.Equal(new Lsn(4), newest.Lsn);
        await using CheckpointReader earlier = (await writer.Log.OpenNewestValidCheckpointAsync(new Lsn(3)))!;
        Assert.Equal(new Lsn(3), earlier.Lsn);
        Assert.Null(await writer.Log.OpenNewestValidCheckpointAsync(Lsn.None));
    }

    [Fact]
    public async Task A_checkpoint_that_was_given_up_leaves_nothing_and_the_older_one_stays()
    {
        await using LogHarness writer = await StartAsync(SmallBlocks);
        await writer.AppendAsync(Bytes("x"), Bytes("y"));
        await writer.CheckpointAsync(new Lsn(1), Bytes("one"));
        await using (CheckpointWriter givenUp = writer.Log.BeginCheckpoint(new Lsn(2)))
        {
            await givenUp.WriteAsync(Filled(50_000, 2));
        }

        await using CheckpointReader reader = (await writer.Log.OpenNewestValidCheckpointAsync())!;
        Assert.Equal(new Lsn(1), reader.Lsn);
        await writer.CheckpointAsync(new Lsn(2), Bytes("two"));
        await using CheckpointReader second = (await writer.Log.OpenNewestValidCheckpointAsync())!;
        Assert.Equal(Bytes("two"), await ReadCheckpointAsync(second));
    }

    [Fact]
    public async Task A_log_that_ends_gives_up_a_checkpoint_that_is_being_written()
    {
        LogHarness writer = await StartAsync(SmallBlocks);
        await writer.AppendAsync(Bytes("x"));
        CheckpointWriter unfinished = writer.Log.BeginCheckpoint(new Lsn(1));
        await unfinished.WriteAsync(Filled(100_000, 2));
        await writer.DisposeAsync();
        Assert.True(unfinished.HasEnded);
        await using LogHarness next = await StartAsync(SmallBlocks);
        Assert.Null(await next.Log.OpenNewestValidCheckpointAsync());
        Assert.False(next.Log.WasCheckpointed);
    }

    [Fact]
    public async Task A_checkpoint_of_what_is_not_durable_is_refused()
    {
        await using LogHarness writer = await StartAsync();
        await writer.AppendAsync(Bytes("x"));
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.Log.BeginCheckpoint(new Lsn(2)));
    }

    [Fact]
    public async Task Log_goes_when_two_newer_checkpoints_make_it_dispensable_and_never_before()
    {
        await using LogHarness writer = await StartAsync(SmallSegments);
        await AppendManyAsync(writer, 40);
        await writer.CheckpointAsync(new Lsn(40), [1]);
        await writer.Log.TrimAsync();
        Assert.Equal(new Lsn(1), writer.Log.OldestLsn);
        await AppendManyAsync(writer, 40);
        await writer.CheckpointAsync(new Lsn(80), [2]);
        await writer.Log.TrimAsync();
        Assert.InRange(writer.Log.OldestLsn.Value, 20UL, 41UL);
        await AppendManyAsync(writer, 40);
        await writer.CheckpointAsync(new Lsn(120), [3]);
        await writer.Log.TrimAsync();
        Assert.InRange(writer.Log.OldestLsn.Value, 60UL, 81UL);
        Assert.Equal([120UL, 80UL], writer.Log.Checkpoints.Select(entry => entry.Lsn.Value));
        Assert.Equal(40, (await LogHarness.ReadAllAsync(writer.Log, new Lsn(81))).Count);
        await LogHarness.ReadAllAsync(writer.Log, new Lsn(1), ending: ReadOutcome.Trimmed);
    }

    [Fact]
    public async Task The_app_position_and_registered_readers_hold_the_log_back()
    {
        await using LogHarness writer = await StartAsync(SmallSegments);
        writer.Log.AppExecuted = new Lsn(30);
        ReaderRegistration debugger = writer.Log.RegisterReader("debugger", new Lsn(5));
        await AppendManyAsync(writer, 100);
        await writer.CheckpointAsync(new Lsn(90), [1]);
        await writer.CheckpointAsync(new Lsn(100), [2]);
        await writer.Log.TrimAsync();
        Assert.Equal(new Lsn(1), writer.Log.OldestLsn);
        debugger.Dispose();
        await writer.Log.TrimAsync();
        Assert.InRange(writer.Log.OldestLsn.Value, 10UL, 31UL);
        writer.Log.AppExecuted = new Lsn(100);
        await writer.Log.TrimAsync();
        Assert.InRange(writer.Log.OldestLsn.Value, 70UL, 91UL);
    }

    [Fact]
    public async Task A_reader_that_lags_too_far_behind_no_longer_holds_the_log_and_is_told_to_reload()
    {
        await using LogHarness writer = await StartAsync(SmallSegments with { MaxReaderLag = 64 * 1024 });
        using ReaderRegistration slow = writer.Log.RegisterReader("slow", Lsn.None);
        await using LogReader reader = writer.Log.OpenReader(Lsn.None);
        await AppendManyAsync(writer, 100);
        await writer.CheckpointAsync(new Lsn(90), [1]);
        await writer.CheckpointAsync(new Lsn(100), [2]);
        await writer.Log.TrimAsync();
        Assert.InRange(writer.Log.OldestLsn.Value, 70UL, 91UL);
        Assert.Equal(ReadOutcome.Trimmed, await reader.ReadAsync());
        await AppendManyAsync(writer, 60);
        await writer.CheckpointAsync(new Lsn(150), [3]);
        await writer.CheckpointAsync(new Lsn(160), [4]);
        await writer.Log.TrimAsync();
        Assert.InRange(writer.Log.OldestLsn.Value, 130UL, 151UL); // It has not come back yet, and still holds nothing.
    }

    [Theory]
    [InlineData("all", 1UL, 5)]
    [InlineData("3", 61UL, 3)]
    [InlineData("1KiB", 81UL, 2)]
    [InlineData("1GiB", 1UL, 5)]
    public async Task Retention_keeps_everything_a_number_or_a_size(string policy, ulong mustStay, int checkpoints)
    {
        await using LogHarness writer = await StartAsync(SmallSegments with { Retention = RetentionPolicy.Parse(policy) });
        for (ulong lsn = 20; lsn <= 100; lsn += 20)
        {
            await AppendManyAsync(writer, 20);
            await writer.CheckpointAsync(new Lsn(lsn), [1]);
            await writer.Log.TrimAsync();
        }

        Assert.Equal(checkpoints, writer.Log.Checkpoints.Count);
        Assert.True(writer.Log.OldestLsn <= new Lsn(mustStay));
        if (checkpoints < 5)
        {
            Assert.True(writer.Log.OldestLsn > new Lsn(mustStay - 20));
        }
    }

    [Fact]
    public async Task Segments_are_used_again_and_their_former_records_end_the_log()
    {
        LogStoreOptions options = SmallSegments;
        for (int life = 0; life < 6; life++)
        {
            await using LogHarness writer = await StartAsync(options);
            Lsn before = writer.Start.LastLsn;
            await AppendManyAsync(writer, 50);
            await writer.CheckpointAsync(new Lsn(before.Value + 40), [1]);
            await writer.CheckpointAsync(new Lsn(before.Value + 50), [2]);
            await writer.Log.TrimAsync();
            List<(Lsn Lsn, byte[] Body)> tail = await LogHarness.ReadAllAsync(writer.Log, before.Next with { Value = before.Value + 41 });
            Assert.Equal(10, tail.Count);
            Assert.Equal(0, writer.Start.TornBytes);
        }

        await using LogHarness last = await StartAsync(options);
        Assert.Equal(new Lsn(300), last.Start.LastLsn);
    }

    protected static async Task<byte[]> ReadCheckpointAsync(CheckpointReader reader)
    {
        using var data = new MemoryStream();
        ReadOnlyMemory<byte> block;
        while (!(block = await reader.ReadAsync()).IsEmpty)
        {
            data.Write(block.Span);
        }

        return data.ToArray();
    }

    protected static async Task AppendManyAsync(LogHarness writer, int count)
    {
        for (int i = 0; i < count; i++)
        {
            await writer.AppendAsync(Filled(3500, (byte)i));
        }
    }
}
