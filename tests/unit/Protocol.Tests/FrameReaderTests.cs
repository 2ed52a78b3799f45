using System.Buffers;
using Ambrosia.Primitives;
using Ambrosia.Protocol.Tests.Support;
using FsCheck.Xunit;

namespace Ambrosia.Protocol.Tests;

public sealed class FrameReaderTests
{
    private const int Limit = 10_000;

    [Fact]
    public void A_frame_cut_anywhere_waits_for_its_rest_and_consumes_nothing()
    {
        byte[] frame = Compose(FrameKind.Batch, [.. Enumerable.Range(0, 100).Select(i => (byte)i)]);
        for (int length = 0; length < frame.Length; length++)
        {
            ReadOnlySequence<byte> buffer = Pieces.Cut(frame[..length], length / 2);

            Assert.False(FrameReader.TryRead(ref buffer, Limit, out _, out _));
            Assert.Equal(length, buffer.Length);
        }
    }

    [Property(MaxTest = 300, Replay = "7,1", QuietOnSuccess = true)]
    public void Frames_come_out_whole_however_the_stream_is_cut((FrameKind Kind, byte[] Body)[] frames, ushort[] cuts)
    {
        byte[] stream = [.. frames.SelectMany(f => Compose(f.Kind, f.Body))];
        ReadOnlySequence<byte> buffer = Pieces.Cut(stream, [.. cuts.Select(cut => cut % (stream.Length + 1))]);
        foreach ((FrameKind kind, byte[] body) in frames)
        {
            Assert.True(FrameReader.TryRead(ref buffer, Limit, out FrameHeader header, out ReadOnlySequence<byte> read));
            Assert.Equal((kind, body.Length), (header.Kind, header.BodySize));
            Assert.Equal(body, read.ToArray());
        }

        Assert.True(buffer.IsEmpty);
    }

    [Fact]
    public void Frames_come_out_of_a_stream_that_brings_one_byte_at_a_time()
    {
        byte[] stream = [.. Compose(FrameKind.Heartbeat, []), .. Compose(FrameKind.Trim, [1, 2, 3]), .. Compose(FrameKind.Heartbeat, [])];
        ReadOnlySequence<byte> buffer = Pieces.Bytes(stream);
        int frames = 0;
        while (FrameReader.TryRead(ref buffer, Limit, out _, out _))
        {
            frames++;
        }

        Assert.Equal(3, frames);
        Assert.True(buffer.IsEmpty);
    }

    [Fact]
    public void Each_flipped_bit_of_a_frame_is_noticed()
    {
        byte[] frame = Compose(FrameKind.Answer, [.. Enumerable.Range(0, 40).Select(i => (byte)(i * 11))]);
        for (int bit = 0; bit < frame.Length * 8; bit++)
        {
            byte[] damaged = [.. frame];
            damaged[bit / 8] ^= (byte)(1 << (bit % 8));
            var buffer = new ReadOnlySequence<byte>(damaged);
            bool whole;
            try
            {
                whole = FrameReader.TryRead(ref buffer, Limit, out _, out _);
            }
            catch (ProtocolException)
            {
                continue;
            }

            // A size that grew lets the reader wait for bytes that will not come: the heartbeat ends that.
            Assert.False(whole);
            Assert.InRange(bit / 8, 4, 7);
        }
    }

    [Fact]
    public void A_size_beyond_the_limit_is_refused_before_the_body_is_awaited()
    {
        byte[] frame = Compose(FrameKind.Batch, new byte[Limit + 1]);
        var header = new ReadOnlySequence<byte>(frame, 0, FrameHeader.Size);

        Assert.Throws<ProtocolException>(() => FrameReader.TryRead(ref header, Limit, out _, out _));
    }

    [Fact]
    public void A_frame_sealed_in_parts_equals_one_written_at_once()
    {
        byte[] body = [.. Enumerable.Range(0, 77).Select(i => (byte)i)];
        byte[] frame = [.. new byte[FrameHeader.Size], .. body];
        FrameHeader.WriteWithoutCrc(frame, FrameKind.Batch, body.Length);
        uint state = Crc32C.Append(Crc32C.Seed, frame.AsSpan(4, FrameHeader.Size - 4 + 5));
        FrameHeader.Seal(frame, Crc32C.Append(state, body.AsSpan(5)));

        Assert.Equal(Compose(FrameKind.Batch, body), frame);
    }

    [Fact]
    public void The_checksum_of_the_end_of_a_checked_body_needs_only_what_stands_before_it()
    {
        byte[] body = [.. Enumerable.Range(0, 3000).Select(i => (byte)(i * i))];
        ReadOnlySequence<byte> buffer = Pieces.Cut(Compose(FrameKind.Batch, body), 11, 30, 500);
        Assert.True(FrameReader.TryRead(ref buffer, Limit, out FrameHeader header, out ReadOnlySequence<byte> read));
        foreach (int front in (int[])[0, 1, 4, 17, 2999, 3000])
        {
            Assert.Equal(Crc32C.Compute(body.AsSpan(front)), header.ChecksumBehind(read.Slice(0, front), body.Length - front));
        }
    }

    [Fact]
    public void Reading_frames_allocates_nothing()
    {
        byte[] frame = Compose(FrameKind.Batch, new byte[500]);
        ReadOnlySequence<byte> whole = Pieces.Cut(frame, 3, 16, 100);
        ReadOnlySequence<byte> first = whole;
        FrameReader.TryRead(ref first, Limit, out _, out _);

        long before = GC.GetAllocatedBytesForCurrentThread();
        bool read = true;
        for (int i = 0; i < 1000; i++)
        {
            ReadOnlySequence<byte> buffer = whole;
            read &= FrameReader.TryRead(ref buffer, Limit, out _, out _);
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.True(read);
    }

    private static byte[] Compose(FrameKind kind, byte[] body)
    {
        byte[] frame = [.. new byte[FrameHeader.Size], .. body];
        FrameHeader.Write(frame, kind, body);
        return frame;
    }
}
