using System.Buffers.Binary;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.LogStore.Format;
using Ambrosia.Primitives;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>The first block of a segment or a checkpoint. Inputs are its beginning; the zeros up to its end are added.</summary>
internal sealed class HeaderTarget<T>(string name, Func<ReadOnlyMemory<byte>, T?> read, Func<T, byte[]> write, byte[] valid) : StoreTarget
    where T : class
{
    private const int Shown = 232;
    private readonly byte[] _block = new byte[SegmentHeader.Size + 1];

    public override string Name => name;

    public override int Weight => 3;

    public override int Largest => SegmentHeader.Size + 1;

    public override long AllocationBase => 16 * 1024;

    public override IEnumerable<byte[]> Seeds() => [valid[..Shown], valid, [.. valid, 0], valid[..(SegmentHeader.Size - 1)]];

    public override void Repair(Span<byte> input)
    {
        if (input.Length > 16)
        {
            Fill(input);
            BinaryPrimitives.WriteUInt32LittleEndian(input[8..], Crc32C.Compute(_block.AsSpan(12, SegmentHeader.Size - 12)));
        }
    }

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        int length = Fill(input.Span);
        if (read(_block.AsMemory(0, length)) is not { } header)
        {
            return Damaged;
        }

        byte[] again = write(header);
        Require(header.Equals(read(again)), "what was written again reads as the same");
        return Accepted;
    }

    private int Fill(ReadOnlySpan<byte> input)
    {
        _block.AsSpan().Clear();
        input.CopyTo(_block);
        return input.Length > Shown ? input.Length : SegmentHeader.Size;
    }
}
