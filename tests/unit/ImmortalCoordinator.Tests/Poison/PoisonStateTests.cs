using System.Buffers;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Poison;

/// <summary>What the log and its checkpoints carry of messages that kill, byte by byte (docs/internals/quarantine.md).</summary>
public sealed class PoisonStateTests
{
    private static readonly MessagePosition s_place = new(17, 3);

    [Theory]
    // Suspected from 17:3 to the end of 18, twice, escaped, "signal 6", build "7".
    [InlineData("01" + "1103" + "12ffffffff07" + "02" + "01" + "0873" + "69676e616c2036" + "0137")]
    [InlineData("03" + "1103" + "1103" + "03" + "02" + "086f70657261746f72" + "00")] // Quarantined by the operator.
    [InlineData("05" + "ac0200" + "ac0200" + "00" + "02" + "00" + "00")] // 300:0 dropped.
    public void A_mark_has_the_bytes_of_the_page(string hex)
    {
        byte[] bytes = Convert.FromHexString(hex);
        var reader = new ByteReader(bytes);
        QuarantineStep mark = QuarantineStep.Read(ref reader);
        reader.ExpectEnd("mark");
        var written = new ArrayBufferWriter<byte>();
        mark.Write(written);
        Assert.Equal(hex, Convert.ToHexString(written.WrittenSpan).ToLowerInvariant());
        Assert.True(written.WrittenCount <= QuarantineStep.MaxSize);
    }

    [Theory]
    [InlineData("00" + "1103" + "1103" + "03" + "02" + "00" + "00")] // Step 0.
    [InlineData("08" + "1103" + "1103" + "03" + "02" + "00" + "00")] // Step 8.
    [InlineData("01" + "1103" + "1102" + "03" + "00" + "00" + "00")] // Last before first.
    [InlineData("01" + "1103" + "1103" + "03" + "08" + "00" + "00")] // A flag that nobody knows.
    [InlineData("01" + "1103" + "1103" + "03" + "00" + "8104")] // A text of 513 bytes.
    [InlineData("01" + "1103")]
    public void A_mark_that_is_none_is_refused(string hex) => Assert.Throws<ProtocolException>(() =>
    {
        var reader = new ByteReader(Convert.FromHexString(hex));
        QuarantineStep.Read(ref reader);
    });

    [Theory]
    [InlineData("00")] // Nothing.
    [InlineData("02" + "0363")] // No message.
    [InlineData("0c" + "0a0000060190" + "0a0000060190")] // Two.
    [InlineData("03" + "0a0000")] // A part of one.
    public void A_letter_that_does_not_hold_one_message_is_refused(string body)
    {
        byte[] head = Convert.FromHexString("1103" + "0473686f70" + "6300000000000000" + "00" + "00");
        ProtocolException Refusal(string bytes) => Assert.Throws<ProtocolException>(() =>
        {
            var reader = new ByteReader([.. head, .. Convert.FromHexString(bytes)]);
            DeadLetter.Read(ref reader);
        });
        Refusal(body);
        var whole = new ByteReader([.. head, .. Convert.FromHexString("06" + "0a0000060190")]);
        Assert.Equal("shop", DeadLetter.Read(ref whole).From);
    }

    [Fact]
    public void A_record_keeps_its_marks()
    {
        var marks = new PageMarks();
        Assert.Empty(RecordTrailer.Read(Trailer(marks), out _).Poison);
        marks.Poison.Add(QuarantineStep.Of(PoisonStep.Quarantined, s_place, "operator", new string('x', 2000)));
        marks.Poison.Add(QuarantineStep.Of(PoisonStep.Redriven, s_place, "operator"));
        byte[] body = Trailer(marks);
        Assert.Equal(8, body[0]); // Format 4, and a checksum.
        Assert.Equal([PoisonStep.Quarantined, PoisonStep.Redriven],
            RecordTrailer.Read(body, out _).Poison.Select(static mark => mark.Step));
    }

    [Fact]
    public void A_checkpoint_keeps_letters_suspect_and_skips_behind_it_and_takes_no_mark_twice()
    {
        var state = new PoisonState();
        state.Apply([Quarantine(s_place, "kept"), Quarantine(new MessagePosition(40, 0), "later")], new Lsn(50), 1000);
        state.Apply([new Suspect(new MessagePosition(60, 0), new MessagePosition(60, 0), 2, true, false, "signal 6", "7").ToMark()],
            new Lsn(61), 2000);
        PoisonState read = Saved(state, new Lsn(30));
        Assert.Equal([s_place, new MessagePosition(40, 0)], read.Letters.Select(static letter => letter.Position));
        Assert.Equal(MessageOf("kept"), read.Find(s_place)!.Message.ToArray());
        Assert.Equal((1000, "teller", "operator"), (read.Find(s_place)!.DecidedAt, read.Find(s_place)!.From, read.Find(s_place)!.By));
        Assert.Equal([new MessagePosition(40, 0)], read.Skips);
        Assert.Equal(state.Suspect, read.Suspect);

        // The log after the checkpoint is read again: what is included already says nothing new.
        read.Apply([QuarantineStep.Of(PoisonStep.Dropped, s_place, "operator")], new Lsn(61), 0);
        Assert.NotNull(read.Find(s_place));
        read.Apply([QuarantineStep.Of(PoisonStep.Dropped, s_place, "operator")], new Lsn(62), 0);
        Assert.Null(read.Find(s_place));
    }

    [Fact]
    public void A_letter_that_was_dropped_before_a_checkpoint_of_an_earlier_record_does_not_come_back()
    {
        var state = new PoisonState();
        state.Apply([Quarantine(s_place, "gone")], new Lsn(30), 1000);
        state.Apply([QuarantineStep.Of(PoisonStep.Dropped, s_place, "operator")], new Lsn(35), 1000);
        PoisonState read = Saved(Saved(state, new Lsn(20)), new Lsn(25));
        read.Apply([QuarantineStep.Of(PoisonStep.Quarantined, s_place, "operator")], new Lsn(30), 1000);
        Assert.Empty(read.Letters);
        Assert.True(read.IsEmptyFor(new Lsn(35)));
        Assert.False(read.IsEmptyFor(new Lsn(34)));
    }

    private static QuarantineStep Quarantine(MessagePosition place, string message) =>
        QuarantineStep.Of(PoisonStep.Quarantined, place, "operator") with { Letter = new DeadLetter(place, "teller", MessageOf(message)) };

    // A fork of method 1 with this text as its arguments.
    private static byte[] MessageOf(string text) =>
        [(byte)(2 * (text.Length + 4)), 0, 0, 2, 1, .. System.Text.Encoding.UTF8.GetBytes(text)];

    private static PoisonState Saved(PoisonState state, Lsn checkpoint) =>
        CheckpointHead.Read(new CheckpointHead { Poison = state }.ToBytes(checkpoint).Span).Poison;

    private static byte[] Trailer(PageMarks marks)
    {
        byte[] bytes = new byte[RecordTrailer.MaxSize(marks)];
        return bytes[..RecordTrailer.Write(marks, bytes, new Lsn(1), new Epoch(1))];
    }
}
