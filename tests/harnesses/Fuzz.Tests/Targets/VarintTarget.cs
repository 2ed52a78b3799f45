using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>Integers of variable length, plain and zig-zag.</summary>
internal sealed class VarintTarget : FuzzTarget
{
    private const string Malformed = "it does not fit 64 bits";

    public override string Name => "varint";

    public override int Weight => 16;

    public override int Largest => 24;

    public override IEnumerable<byte[]> Seeds() => [.. Vectors.Of("varint"), .. Vectors.Of("zigzag")];

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        ReadOnlySpan<byte> bytes = input.Span;
        bool read = Varint.TryRead(bytes, out ulong value, out int size);
        Require(Varint.TryReadZigZag(bytes, out long signed, out int signedSize) == read
            && size == signedSize, "plain and zig-zag agree on where the number ends");
        if (!read)
        {
            Require(size is 0 or -1 && (size == -1) == (bytes.Length >= Varint.MaxSize64), "ten bytes decide");
            return size == 0 ? Incomplete : Malformed;
        }

        Require(size is >= 1 and <= Varint.MaxSize64 && size <= bytes.Length
            && bytes[size - 1] < 0x80, "a number ends with its first byte below 80");
        Require(Varint.ZigZag(signed) == value && Varint.UnZigZag(value) == signed, "zig-zag maps both ways");
        Span<byte> again = stackalloc byte[Varint.MaxSize64];
        int written = Varint.Write(again, value);
        Require(written == Varint.Size(value) && written <= size, "the shortest form is written");
        Require(Varint.TryRead(again[..written], out ulong same, out _) && same == value, "what was written again reads as the same");
        Require(!Varint.TryRead(bytes[..(size - 1)], out _, out int cut) && cut == 0, "a number that is cut asks for more");
        return Accepted;
    }
}
