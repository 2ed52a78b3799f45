using System.Buffers;
using System.Buffers.Binary;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>A stream of frames between coordinators, however it is cut into pieces.</summary>
internal sealed class FrameTarget : FuzzTarget
{
    private const int Limit = FrameLimits.SmallBody;

    public override string Name => "frames";

    public override int Weight => 10;

    public override int Largest => 3 * FrameLimits.SmallBody;

    public override IEnumerable<byte[]> Seeds()
    {
        IReadOnlyList<byte[]> frames = Vectors.Of("frame");
        return [.. frames, .. frames.Zip(frames.Skip(1), static (a, b) => (byte[])[.. a, .. b]), FrameOf(FrameKind.Batch, new byte[Limit]),
            FrameOf(FrameKind.Goodbye, new byte[Limit + 1])];
    }

    public override void Repair(Span<byte> input)
    {
        while (input.Length >= FrameHeader.Size)
        {
            int size = (int)Math.Min(BinaryPrimitives.ReadUInt32LittleEndian(input[4..]), (uint)(input.Length - FrameHeader.Size));
            BinaryPrimitives.WriteUInt32LittleEndian(input,
                Crc32C.Finish(Crc32C.Append(Crc32C.Seed, input.Slice(4, FrameHeader.Size - 4 + size))));
            input = input[(FrameHeader.Size + size)..];
        }
    }

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        var whole = new ReadOnlySequence<byte>(input);
        (ulong Hash, string? Refusal) atOnce = ReadAll(ref whole, 0);
        if (random.OneIn(3))
        {
            RequireSameInPieces(input, atOnce, random);
        }

        return atOnce.Refusal is { } reason ? throw new ProtocolException(reason, 0) : whole.IsEmpty ? Accepted : Incomplete;
    }

    private static void RequireSameInPieces(ReadOnlyMemory<byte> input, (ulong Hash, string? Refusal) atOnce, FuzzRandom random)
    {
        (ulong Hash, string? Refusal) inPieces = default;
        int start = 0;
        for (int end = 0; inPieces.Refusal is null && end < input.Length;)
        {
            end = Math.Min(input.Length, end + 1 + random.Next(random.OneIn(2) ? 24 : input.Length));
            ReadOnlySequence<byte> part = Pieces.Of(input[start..end], random);
            long before = part.Length;
            inPieces = ReadAll(ref part, inPieces.Hash);
            start += (int)(before - part.Length);
        }

        Require(inPieces == atOnce, "frames and refusal do not depend on how the stream is cut");
    }

    private static (ulong Hash, string? Refusal) ReadAll(ref ReadOnlySequence<byte> stream, ulong hash)
    {
        try
        {
            while (FrameReader.TryRead(ref stream, Limit, out FrameHeader header, out ReadOnlySequence<byte> body))
            {
                Require(header.BodySize <= Limit
                    && body.Length == header.BodySize, "a body is as long as its header says and within the limit");
                hash = FuzzRandom.Mix(hash, ((ulong)header.Kind << 48) ^ ((ulong)header.BodySize << 32) ^ header.Crc);
            }

            return (hash, null);
        }
        catch (ProtocolException error)
        {
            return (hash, error.Rule);
        }
    }

    private static byte[] FrameOf(FrameKind kind, byte[] body)
    {
        byte[] frame = new byte[FrameHeader.Size + body.Length];
        body.CopyTo(frame, FrameHeader.Size);
        FrameHeader.Write(frame, kind, body);
        return frame;
    }
}
