using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Primitives;
using Ambrosia.Protocol;


namespace Ambrosia.ImmortalCoordinator.Tests.Ingest;

/// <summary>What a record says beyond its messages: whatever was written can be read, and no record says more than its share.</summary>
public sealed class RecordTrailerTests
{
    // One more than readers once took of each list: a log with such a record could never be read again.
    private const int OnceTooMany = (1 << 20) + 1;

    [Fact]
    public void A_record_with_more_digests_than_readers_once_took_is_read()
    {
        var marks = new PageMarks();
        for (ulong lsn = 1; lsn <= OnceTooMany; lsn++)
        {
            marks.Turns.Add(new TurnDigest(lsn, lsn * 3, []));
        }

        List<TurnDigest> read = Read(marks).Turns;
        Assert.Equal(OnceTooMany, read.Count);
        Assert.Equal((ulong)OnceTooMany, read[^1].Lsn);
    }

    [Fact]
    public void A_record_with_more_runs_trims_and_inputs_than_readers_once_took_is_read()
    {
        var marks = new PageMarks();
        var shop = new InputState("shop");
        var bank = new InputState("bank");
        for (int i = 0; i < OnceTooMany; i++)
        {
            marks.AddRun(i % 2 == 0 ? shop : bank, 1, 2, new Watermark((ulong)i, (ulong)i, 1));
            marks.Trims.Add(new TrimPoint("shop", (ulong)i, 1, Guid.Empty));
        }

        RecordTrailer read = Read(marks);
        Assert.Equal(OnceTooMany, read.MessageCount);
        Assert.Equal(OnceTooMany, read.Runs.Count);
        Assert.Equal(OnceTooMany, read.Trims.Count);
    }

    [Fact] // Without a drop nothing is written that an earlier build could not read.
    public void A_record_that_drops_outputs_says_so_in_a_format_of_its_own()
    {
        var marks = new PageMarks();
        Assert.Equal(8, Written(marks)[0]);
        marks.Drops.Add(new DropPoint("shop", 40));
        Assert.Equal(10, Written(marks)[0]);
        Assert.Equal([new DropPoint("shop", 40)], Read(marks).Drops);
    }

    [Fact] // docs/internals/exactly-once.md H26: what follows a gap may be in the page already when the gap is noted.
    public void A_gap_moves_the_watermark_of_an_input_forward_and_never_back()
    {
        var shop = new InputState("shop");
        var marks = new PageMarks();
        marks.AddGap(shop, new InputWatermark("shop", Guid.Empty, new Watermark(40, 40, 1)));
        marks.AddRun(shop, 1, 2, new Watermark(41, 41, 1));
        marks.AddGap(shop, new InputWatermark("shop", Guid.Empty, new Watermark(40, 40, 1)));
        Assert.Equal(new Watermark(41, 41, 1), Assert.Single(Read(marks).Inputs).Watermark);
    }

    [Fact]
    public void A_count_that_the_bytes_cannot_hold_is_refused_before_anything_is_allocated_for_it()
    {
        // Format 3 without a checksum, no message, many inputs; eight bytes in all.
        byte[] body = [3, 0, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 8, 0, 0, 0];
        ProtocolException refused = Assert.Throws<ProtocolException>(() => RecordTrailer.Read(body, out _));
        Assert.Contains("trailer inputs: 268435455 exceeds the limit", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_waits_goes_into_as_many_records_as_it_takes_in_its_order()
    {
        var limits = new CoreLimits { DigestsPerRecord = 7, MarksPerRecord = 5 };
        var pending = new PendingMarks(limits);
        int asked = 0;
        pending.Full = () => asked++;
        for (ulong i = 1; i <= 100; i++)
        {
            pending.Add(new TurnDigest(i, i, [("shop", 1)], (uint)i));
            pending.Add(new TrimPoint($"d{i}", i, 1, Guid.Empty));
            pending.Add(QuarantineStep.Of(PoisonStep.Suspected, new MessagePosition(i, 0), "died"));
            pending.Add(new VersionChange(new Lsn(i), "V1", "V2"));
            pending.Add(new BuildStep(new Lsn(i), "3f9a20"));
        }

        Assert.Equal(94, asked); // From the seventh on: a record is due.
        var turns = new List<ulong>();
        var trims = new HashSet<string>();
        var poison = new List<ulong>();
        var upgrades = new List<ulong>();
        var builds = new List<ulong>();
        while (!pending.IsEmpty)
        {
            var marks = new PageMarks();
            pending.MoveTo(marks);
            RecordTrailer read = Read(marks);
            Assert.InRange(read.Turns.Count, 0, 7);
            Assert.All([read.Trims.Count, read.Poison.Count, read.Upgrades.Count, read.Builds.Count], static count =>
                Assert.InRange(count, 0, 5));
            Assert.All(read.Turns, static turn => Assert.Equal((uint)turn.Lsn, turn.Contents));
            turns.AddRange(read.Turns.Select(static turn => turn.Lsn));
            trims.UnionWith(read.Trims.Select(static trim => trim.Destination));
            poison.AddRange(read.Poison.Select(static mark => mark.First.Lsn));
            upgrades.AddRange(read.Upgrades.Select(static mark => mark.At.Value));
            builds.AddRange(read.Builds.Select(static mark => mark.At.Value));
        }

        ulong[] all = [.. Enumerable.Range(1, 100).Select(static i => (ulong)i)];
        Assert.Equal(all, turns);
        Assert.Equal(100, trims.Count);
        Assert.Equal(all, poison);
        Assert.Equal(all, upgrades);
        Assert.Equal(all, builds);
    }

    [Fact]
    public void Digests_of_many_destinations_are_bounded_by_their_bytes_and_each_still_finds_a_record()
    {
        var pending = new PendingMarks(new CoreLimits { DigestBytesPerRecord = 10_000 });
        List<(string, int)> many = [.. Enumerable.Range(0, 500).Select(static i => ($"d{i}", 1))];
        for (ulong i = 1; i <= 4; i++)
        {
            pending.Add(new TurnDigest(i, i, many));
            pending.Add(new TurnDigest(i + 100, i, []));
        }

        int records = 0;
        for (; !pending.IsEmpty; records++)
        {
            var marks = new PageMarks();
            pending.MoveTo(marks);
            Assert.InRange(marks.Turns.Count, 1, 2); // A large one has a record of its own.
        }

        Assert.Equal(8, records);
    }

    [Fact]
    public void The_limit_that_handlers_see_stands_in_one_record_and_asks_for_none()
    {
        var pending = new PendingMarks(new CoreLimits());
        pending.Limit(65536);
        Assert.True(pending.IsEmpty);
        var first = new PageMarks();
        pending.MoveTo(first);
        var second = new PageMarks();
        pending.MoveTo(second);
        Assert.Equal(65536, Read(first).LargestMessage);
        Assert.Equal(0, Read(second).LargestMessage);
    }

    private static RecordTrailer Read(PageMarks marks)
    {
        byte[] bytes = new byte[RecordTrailer.MaxSize(marks)];
        int size = RecordTrailer.Write(marks, bytes, new Lsn(5), new Epoch(2));
        RecordTrailer? end = RecordTrailer.TryReadEnd(bytes.AsSpan(0, size), new Lsn(5), new Epoch(2));
        Assert.Equal(marks.Turns.Count, end!.Turns.Count);
        return RecordTrailer.Read(bytes.AsMemory(0, size), out _);
    }

    private static byte[] Written(PageMarks marks)
    {
        byte[] bytes = new byte[RecordTrailer.MaxSize(marks)];
        return bytes[..RecordTrailer.Write(marks, bytes, new Lsn(1), new Epoch(1))];
    }
}
