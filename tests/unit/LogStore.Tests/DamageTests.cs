using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

/// <summary>Damage is named by file and offset and never shortens history; an interrupted write is cut and nothing else is lost.</summary>
public sealed class DamageTests
{
    [Fact]
    public void Every_byte_of_a_log_flipped_once_is_noticed_and_named_or_was_not_durable() => SingleThread.Run(async () =>
    {
        var original = new MemoryFileSystem();
        List<byte[]> bodies = await LogScene.MakeAsync(original);
        (int noticed, int cut, int harmless) = (0, 0, 0);
        for (int number = 1; number <= 4; number++)
        {
            string path = LogScene.Segment(number);
            long length = (await original.StatAsync(path))!.Value.Length;
            long lastRecord = number == 4 ? length - SegmentEnd(bodies[^1]) : long.MaxValue;
            for (long offset = 0; offset < length; offset++)
            {
                MemoryFileSystem disk = original.Clone();
                disk.FlipBits(path, offset, (byte)(1 << (int)(offset % 8)));
                Finding finding = await RecoverAsync(disk, bodies);
                if (finding.Damage is { } damage)
                {
                    Assert.Equal(path, damage.File);
                    Assert.True(damage.Offset <= offset, $"{damage.Offset} named, {offset} flipped");
                    Assert.True(offset < lastRecord, "a record that nothing proves durable is torn, not damaged");
                    // Every record before it is read, except one that only the damaged one would have proven durable.
                    Assert.InRange(finding.Records, Math.Max(0, (int)damage.Lsn.Value - 2), Math.Max(0, (int)damage.Lsn.Value - 1));
                    noticed++;
                }
                else
                {
                    // Only the very last record, which no later word proves durable, and the zeros behind it.
                    Assert.True(offset >= lastRecord, $"{path} byte {offset}: the flip went unnoticed");
                    cut += finding.Records < bodies.Count ? 1 : 0;
                    harmless += finding.Records == bodies.Count ? 1 : 0;
                }
            }
        }

        Assert.True(noticed > 4 * SegmentHeader.Size);
        Assert.Equal(RecordHeader.StoredSizeOf(bodies[^1].Length), cut);
        Assert.Equal(RecordHeader.Size, harmless);
    });

    [Fact]
    public void A_reader_of_ends_passes_a_damaged_payload_and_finds_the_damage_when_it_reads_that_record_whole(
        ) => SingleThread.Run(async () =>
    {
        var disk = new MemoryFileSystem();
        await using (LogHarness first = await LogScene.StartAsync(disk))
        {
            await first.AppendAsync([1], new byte[40_000], [3]);
        }

        disk.FlipBits(LogScene.Segment(1), 20_000, 0x10);
        await using WriteAheadLog view = await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, LogScene.Environment(disk));
        await using LogReader reader = view.OpenReader(Lsn.None, ReadLimit.Everything, endsOnly: true);
        for (ulong lsn = 1; lsn <= 3; lsn++)
        {
            Assert.Equal(ReadOutcome.Record, await reader.ReadAsync());
            Assert.Equal(lsn, reader.Header.Lsn.Value);
            Assert.Equal(lsn != 2, reader.IsWhole);
        }

        await using LogReader again = view.OpenReader(new Lsn(2), ReadLimit.Everything, endsOnly: true);
        Assert.Equal(ReadOutcome.Record, await again.ReadAsync());
        LogCorruptException damage = await Assert.ThrowsAsync<LogCorruptException>(async () => await again.ReadWholeAsync());
        Assert.Equal(("IC-2001", 2UL, LogScene.Segment(1)), (damage.Code, damage.Lsn.Value, damage.File));
        Assert.True(damage.Offset <= 20_000);
        Assert.Equal(new Lsn(2), again.NextLsn);
        await Assert.ThrowsAsync<LogCorruptException>(async () => await LogHarness.ReadAllAsync(view, Lsn.None));
    });

    [Fact]
    public void Every_byte_of_the_newest_checkpoint_flipped_once_leads_to_the_older_one_with_a_warning_that_names_it(
        ) => SingleThread.Run(async () =>
    {
        var original = new MemoryFileSystem();
        await using (LogHarness writer = await LogScene.StartAsync(original))
        {
            await writer.AppendAsync([1], [2]);
            await writer.CheckpointAsync(new Lsn(1), new byte[100]);
            await writer.CheckpointAsync(new Lsn(2), new byte[5000], new byte[300]);
        }

        string path = $"/bank/checkpoints/{2:d20}.ckpt";
        long length = (await original.StatAsync(path))!.Value.Length;
        for (long offset = 0; offset < length; offset++)
        {
            MemoryFileSystem disk = original.Clone();
            disk.FlipBits(path, offset, 0x10);
            var logger = new CollectingLogger();
            await using WriteAheadLog log =
                await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, LogScene.Environment(disk, logger));
            await using CheckpointReader reader = (await log.OpenNewestValidCheckpointAsync())!;
            Assert.Equal(new Lsn(1), reader.Lsn);
            string warning = Assert.Single(logger.Lines);
            Assert.StartsWith("IC-2011", warning, StringComparison.Ordinal);
            Assert.Contains(path, warning, StringComparison.Ordinal);
        }
    });

    [Fact]
    public void A_checkpoint_that_is_replaced_while_it_is_read_is_read_again_and_is_no_damage() => SingleThread.Run(async () =>
    {
        var disk = new MemoryFileSystem();
        await using (LogHarness writer = await LogScene.StartAsync(disk))
        {
            await writer.AppendAsync([1], [2]);
            await writer.CheckpointAsync(new Lsn(1), new byte[100]);
            await writer.CheckpointAsync(new Lsn(2), new byte[5000], new byte[300]);
        }

        var logger = new CollectingLogger();
        await using WriteAheadLog log =
            await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, LogScene.Environment(disk, logger));
        var replaced = new OtherContentOnce(disk, $"/bank/checkpoints/{2:d20}.ckpt");
        disk.Faults = replaced;
        await using CheckpointReader reader = (await log.OpenNewestValidCheckpointAsync())!;
        Assert.True(replaced.Seen);
        Assert.Equal((new Lsn(2), 0), (reader.Lsn, reader.SkippedCheckpoints));
        Assert.Empty(logger.Lines);
    });

    /// <summary>The first reader of a file's content finds another; from then on it is as it was.</summary>
    private sealed class OtherContentOnce(MemoryFileSystem disk, string path) : IFileFaults
    {
        private const long Content = 4200;
        private bool _turned;

        public bool Seen { get; private set; }

        public ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            if (call.Kind == FileCallKind.Read && call.Path.EndsWith(path, StringComparison.Ordinal))
            {
                if (call.Offset == 0 ? _turned : !Seen && !_turned)
                {
                    disk.FlipBits(path, Content, 0x10);
                    (_turned, Seen) = (!_turned, true);
                }
            }

            return new(FileFault.None);
        }
    }

    [Fact]
    public void Both_checkpoints_damaged_stops_unless_the_log_still_begins_with_its_first_record() => SingleThread.Run(async () =>
    {
        var disk = new MemoryFileSystem();
        await using (LogHarness writer = await LogScene.StartAsync(disk))
        {
            for (int i = 0; i < 60; i++)
            {
                await writer.AppendAsync(new byte[3500]);
            }

            await writer.CheckpointAsync(new Lsn(50), [1]);
            await writer.CheckpointAsync(new Lsn(60), [2]);
            MemoryFileSystem untrimmed = Damaged(disk);
            await using WriteAheadLog whole =
                await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, LogScene.Environment(untrimmed));
            Assert.Null(await whole.OpenNewestValidCheckpointAsync());
            await writer.Log.TrimAsync();
        }

        await using WriteAheadLog log =
            await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, LogScene.Environment(Damaged(disk)));
        LogCorruptException stopped = await Assert.ThrowsAsync<LogCorruptException>(async () => await log.OpenNewestValidCheckpointAsync());
        Assert.Equal("IC-2012", stopped.Code);

        static MemoryFileSystem Damaged(MemoryFileSystem disk)
        {
            MemoryFileSystem copy = disk.Clone();
            copy.FlipBits($"/bank/checkpoints/{50:d20}.ckpt", 5000 % 4100, 1);
            copy.FlipBits($"/bank/checkpoints/{60:d20}.ckpt", 4100, 1);
            return copy;
        }
    });

    [Fact]
    public void Every_byte_of_the_manifest_flipped_once_changes_nothing_and_both_copies_lost_are_rebuilt() => SingleThread.Run(async () =>
    {
        var original = new MemoryFileSystem();
        await using (LogHarness writer = await LogScene.StartAsync(original))
        {
            await writer.AppendAsync([1], [2]);
            await writer.CheckpointAsync(new Lsn(1), [1]);
            await writer.CheckpointAsync(new Lsn(2), [2]);
        }

        long length = (await original.StatAsync("/bank/manifest.0"))!.Value.Length;
        for (long offset = 0; offset < length; offset++)
        {
            MemoryFileSystem disk = original.Clone();
            disk.FlipBits("/bank/manifest.0", offset, 1);
            await RequireTwoCheckpointsAsync(disk.Clone(), ["IC-2010 a copy of the manifest is damaged"]);
            disk.FlipBits("/bank/manifest.1", offset % 50, 1);
            await RequireTwoCheckpointsAsync(disk, ["IC-2010 a copy of the manifest is damaged",
                "IC-2010 a copy of the manifest is damaged", "IC-2010 both copies of the manifest are unusable"]);
        }

        static async Task RequireTwoCheckpointsAsync(MemoryFileSystem disk, string[] warnings)
        {
            var logger = new CollectingLogger();
            await using LogHarness writer = await LogScene.StartAsync(disk, logger: logger);
            await writer.AppendAsync([3]);
            await using CheckpointReader reader = (await writer.Log.OpenNewestValidCheckpointAsync())!;
            Assert.Equal(new Lsn(2), reader.Lsn);
            Assert.Equal([2UL, 1UL], writer.Log.Checkpoints.Select(entry => entry.Lsn.Value));
            Assert.Equal(warnings.Length, logger.Lines.Count);
            Assert.All(warnings.Zip(logger.Lines), pair => Assert.StartsWith(pair.First, pair.Second, StringComparison.Ordinal));
            await writer.CheckpointAsync(new Lsn(3), [3]);
            Assert.Equal(new Lsn(3), writer.Log.Checkpoints[0].Lsn);
        }
    });

    [Fact]
    public void An_instance_whose_checkpoints_were_all_deleted_is_not_taken_for_a_new_one() => SingleThread.Run(async () =>
    {
        var disk = new MemoryFileSystem();
        await using (LogHarness writer = await LogScene.StartAsync(disk))
        {
            Assert.False(writer.Log.WasCheckpointed);
            await writer.AppendAsync([1]);
            await writer.CheckpointAsync(new Lsn(1), [1]);
            Assert.True(writer.Log.WasCheckpointed);
        }

        await disk.DeleteAsync($"/bank/checkpoints/{1:d20}.ckpt");
        for (int start = 0; start < 2; start++)
        {
            await using LogHarness writer = await LogScene.StartAsync(disk);
            Assert.Empty(writer.Log.Checkpoints);
            Assert.True(writer.Log.WasCheckpointed);
        }
    });

    [Theory]
    [InlineData(0x00)] // The zeros that were prepared.
    [InlineData(0xC3)] // Whatever was there before.
    public void A_write_interrupted_at_any_byte_is_cut_and_kept_aside_and_the_log_goes_on(int rest) => SingleThread.Run(async () =>
    {
        var original = new MemoryFileSystem();
        List<byte[]> bodies = await LogScene.MakeAsync(original, lives: 2);
        string path = LogScene.Segment(2);
        long stored = RecordHeader.StoredSizeOf(bodies[^1].Length);
        long begin = (await original.StatAsync(path))!.Value.Length - SegmentEnd(bodies[^1]);
        byte[] record = new byte[stored];
        await using (Files.IFile file = await original.OpenAsync(path, Files.FileOpening.Read))
        {
            await file.ReadAsync(record, begin);
        }

        long lastByte = Array.FindLastIndex(record, value => value != 0);
        for (int written = 0; written <= (rest == 0 ? lastByte : stored - 1); written++)
        {
            MemoryFileSystem disk = original.Clone();
            byte[] tail = new byte[stored - written + 500];
            tail.AsSpan().Fill((byte)rest);
            disk.Overwrite(path, begin + written, tail);
            Finding finding = await RecoverAsync(disk, bodies);
            Assert.Null(finding.Damage);
            Assert.Equal(bodies.Count - 1, finding.Records);
            bool nothingVisible = rest == 0 && record.AsSpan(0, written).IndexOfAnyExcept((byte)0) < 0;
            Assert.Equal(!nothingVisible, disk.AllFiles().Contains(path + ".broken"));
        }
    });

    [Fact]
    public void A_record_of_another_history_does_not_continue_this_one_however_well_it_fits_the_place() => SingleThread.Run(async () =>
    {
        var ours = new MemoryFileSystem();
        var other = new MemoryFileSystem();
        await using (LogHarness first = await LogScene.StartAsync(ours))
        {
            await first.AppendAsync([1], [2]);
        }

        await using (LogHarness second = await LogScene.StartAsync(other))
        {
            await second.AppendAsync([1], [99], [3]); // Same identity, sizes, times, epoch and segment; another past.
        }

        byte[] third = new byte[RecordHeader.StoredSizeOf(5)];
        long place = SegmentHeader.Size + 2 * third.Length;
        await using (Files.IFile file = await other.OpenAsync(LogScene.Segment(1), Files.FileOpening.Read))
        {
            await file.ReadAsync(third, place);
        }

        Assert.True(RecordHeader.IsIntact(third));
        ours.Overwrite(LogScene.Segment(1), place, third);
        await using LogHarness writer = await LogScene.StartAsync(ours);
        Assert.Equal(new Lsn(2), writer.Start.LastLsn);
    });

    [Fact]
    public void A_segment_of_another_history_does_not_continue_this_one() => SingleThread.Run(async () =>
    {
        var ours = new MemoryFileSystem();
        var other = new MemoryFileSystem();
        await LogScene.MakeAsync(ours, lives: 2, recordsEach: 2);
        await using (LogHarness first = await LogScene.StartAsync(other))
        {
            await first.AppendAsync([1], [99]); // Same identity, LSNs, times and epochs; another past.
        }

        await using (LogHarness second = await LogScene.StartAsync(other))
        {
            await second.AppendAsync([1], [2]);
        }

        byte[] segment = new byte[(await other.StatAsync(LogScene.Segment(2)))!.Value.Length];
        await using (Files.IFile file = await other.OpenAsync(LogScene.Segment(2), Files.FileOpening.Read))
        {
            await file.ReadAsync(segment, 0);
        }

        ours.Overwrite(LogScene.Segment(2), 0, segment);
        await using WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, LogScene.Environment(ours));
        LogCorruptException corrupt = await Assert.ThrowsAsync<LogCorruptException>(() => LogHarness.ReadAllAsync(log, Lsn.None));
        Assert.Equal("IC-2001", corrupt.Code);
        Assert.Contains("does not continue", corrupt.Message, StringComparison.Ordinal);
    });

    [Theory]
    [InlineData(RecordHeader.Size)]
    [InlineData(1)]
    [InlineData(512)]
    public void Zeros_where_a_durable_record_was_are_damage_and_not_the_end(int zeros) => SingleThread.Run(async () =>
    {
        var disk = new MemoryFileSystem();
        List<byte[]> bodies = await LogScene.MakeAsync(disk, lives: 1, recordsEach: 12);
        disk.Overwrite(LogScene.Segment(1), SegmentHeader.Size, new byte[zeros]);
        Finding finding = await RecoverAsync(disk, bodies);
        Assert.Equal("IC-2001", finding.Damage?.Code);
        Assert.Equal(new Lsn(1), finding.Damage!.Lsn);
    });

    [Fact]
    public void A_sealed_segment_that_ends_too_early_stops_the_start_of_the_replay() => SingleThread.Run(async () =>
    {
        var original = new MemoryFileSystem();
        List<byte[]> bodies = await LogScene.MakeAsync(original, lives: 3);
        long length = (await original.StatAsync(LogScene.Segment(1)))!.Value.Length;
        for (long kept = SegmentHeader.Size; kept < length; kept++)
        {
            MemoryFileSystem disk = original.Clone();
            await using (Files.IFile file = await disk.OpenAsync(LogScene.Segment(1), Files.FileOpening.ReadWrite))
            {
                await file.TruncateAsync(kept);
                await file.SyncAsync();
            }

            Finding finding = await RecoverAsync(disk, bodies);
            Assert.True(finding.Damage is { Code: "IC-2003" or "IC-2001" }, $"cut at {kept}");
            Assert.Equal(LogScene.Segment(1), finding.Damage.File);
        }
    });

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4)]
    public void A_missing_segment_is_named(int missing) => SingleThread.Run(async () =>
    {
        var disk = new MemoryFileSystem();
        await LogScene.MakeAsync(disk, lives: 3);
        await using (LogHarness writer = await LogScene.StartAsync(disk))
        {
            await writer.AppendAsync([1]);
            await writer.CheckpointAsync(writer.Appender.DurableLsn, [1]);
        }

        await disk.DeleteAsync(LogScene.Segment(missing));
        LogCorruptException? stopped = null;
        try
        {
            await using LogHarness writer = await LogScene.StartAsync(disk);
            await using CheckpointReader? checkpoint = await writer.Log.OpenNewestValidCheckpointAsync();
            Assert.Equal(1, missing); // Not needed for recovery from the checkpoint; needed by a reader that wants the beginning.
            await LogHarness.ReadAllAsync(writer.Log, Lsn.None, ending: ReadOutcome.Trimmed);
        }
        catch (LogCorruptException error)
        {
            stopped = error;
        }

        Assert.Equal(missing == 1 ? null : "IC-2004", stopped?.Code);
    });

    [Fact]
    public void A_checkpoint_beyond_the_log_is_an_older_copy_and_stops_without_cutting() => SingleThread.Run(async () =>
    {
        var disk = new MemoryFileSystem();
        MemoryFileSystem older;
        await using (LogHarness writer = await LogScene.StartAsync(disk))
        {
            await writer.AppendAsync([1], [2]);
            older = disk.Clone();
            await writer.AppendAsync([3]);
            await writer.CheckpointAsync(new Lsn(3), [1]);
        }

        byte[] segment = new byte[(await older.StatAsync(LogScene.Segment(1)))!.Value.Length];
        await using (Files.IFile file = await older.OpenAsync(LogScene.Segment(1), Files.FileOpening.Read))
        {
            await file.ReadAsync(segment, 0);
        }

        disk.Overwrite(LogScene.Segment(1), 0, segment);
        disk.Overwrite(LogScene.Segment(1), segment.Length, new byte[4096]);
        LogCorruptException stopped = await Assert.ThrowsAsync<LogCorruptException>(() => LogScene.StartAsync(disk));
        Assert.Equal("IC-2005", stopped.Code);
        Assert.DoesNotContain(disk.AllFiles(), path => path.EndsWith(".broken", StringComparison.Ordinal));
    });

    [Fact]
    public void A_newer_format_is_refused_and_its_file_untouched() => SingleThread.Run(async () =>
    {
        var disk = new MemoryFileSystem();
        await LogScene.MakeAsync(disk, lives: 1);
        byte[] block = new byte[SegmentHeader.Size];
        await using (Files.IFile file = await disk.OpenAsync(LogScene.Segment(1), Files.FileOpening.Read))
        {
            await file.ReadAsync(block, 0);
        }

        block[12] = 9;
        BitConverter.TryWriteBytes(block.AsSpan(8), Crc32C.Compute(block.AsSpan(12)));
        disk.Overwrite(LogScene.Segment(1), 0, block);
        LogStoreException refused = await Assert.ThrowsAsync<LogStoreException>(() => LogScene.StartAsync(disk));
        Assert.Equal("IC-5001", refused.Code);
    });

    private static long SegmentEnd(byte[] lastBody) => RecordHeader.StoredSizeOf(lastBody.Length) + RecordHeader.Size;

    /// <summary>Reads as another, then recovers as a writer; both must find the same damage, or agree with what was logged.</summary>
    private static async Task<Finding> RecoverAsync(MemoryFileSystem disk, List<byte[]> bodies)
    {
        Finding reader = await ReadAsReaderAsync(disk, bodies);
        string[] before = [.. disk.AllFiles()];
        Finding writer = await ReadAsWriterAsync(disk, bodies);
        if (reader.Damage is null)
        {
            Assert.True(reader.Records >= bodies.Count - 2, "a reader may miss only what is not proven durable");
        }
        else
        {
            Assert.Equal(reader.Damage.File, writer.Damage?.File);
            Assert.Equal(reader.Damage.Lsn, writer.Damage?.Lsn);
            Assert.DoesNotContain(disk.AllFiles().Except(before), path => path.EndsWith(".broken", StringComparison.Ordinal));
        }

        return new Finding(reader.Damage is null ? writer.Records : reader.Records, writer.Damage);
    }

    private static async Task<Finding> ReadAsReaderAsync(MemoryFileSystem disk, List<byte[]> bodies)
    {
        int seen = 0;
        try
        {
            await using WriteAheadLog view = await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, LogScene.Environment(disk));
            await using LogReader reader = view.OpenReader(Lsn.None);
            for (; await reader.ReadAsync() == ReadOutcome.Record; seen++)
            {
                Assert.Equal(bodies[seen], reader.Body.ToArray());
            }

            return new Finding(seen, null);
        }
        catch (LogCorruptException damage)
        {
            return new Finding(seen, damage);
        }
    }

    private static async Task<Finding> ReadAsWriterAsync(MemoryFileSystem disk, List<byte[]> bodies)
    {
        int seen = 0;
        try
        {
            await using LogHarness writer = await LogScene.StartAsync(disk);
            await using LogReader reader = writer.Log.OpenReader(Lsn.None);
            for (; await reader.ReadAsync() == ReadOutcome.Record; seen++)
            {
                Assert.Equal(bodies[seen], reader.Body.ToArray());
            }

            Assert.Equal((ulong)seen, writer.Start.LastLsn.Value);
            await writer.AppendAsync([1, 2, 3]);
            return new Finding(seen, null);
        }
        catch (LogCorruptException damage)
        {
            return new Finding(seen, damage);
        }
    }

    private sealed record Finding(int Records, LogCorruptException? Damage);
}
