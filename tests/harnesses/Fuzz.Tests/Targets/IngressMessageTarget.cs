using System.Buffers;
using Ambrosia.Fuzz.Tests.Engine;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>
/// A message of <c>ambrosia.v1.Ingress</c>, which anybody outside may write: fields in any order, repeated and unknown ones included. What
/// was read, written and read again is written as the same.
/// </summary>
internal sealed class IngressMessageTarget<T>(
    string name, CodecTarget<T>.Reader read, Action<T, IBufferWriter<byte>> write, IEnumerable<T> seeds) : FuzzTarget
{
    private readonly ArrayBufferWriter<byte> _first = new(1024);
    private readonly ArrayBufferWriter<byte> _second = new(1024);

    public override string Name => name;

    public override int Weight => 6;

    public override IReadOnlyList<byte[]> Words =>
        [[0x0A], [0x12], [0x18], [0x22], [0x2A], [0x32], [0x38], [0x0B], [0x0C], [0x0D], [0x09],
            [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], "shop"u8.ToArray()];

    public override IEnumerable<byte[]> Seeds() => seeds.Select(seed => Written(seed, new ArrayBufferWriter<byte>(256)).ToArray());

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        _first.ResetWrittenCount();
        _second.ResetWrittenCount();
        ReadOnlySpan<byte> first = Written(read(input.Span), _first);
        Require(Written(read(first), _second).SequenceEqual(first), "what is written again reads as the same");
        return Accepted;
    }

    private ReadOnlySpan<byte> Written(T value, ArrayBufferWriter<byte> output)
    {
        write(value, output);
        return output.WrittenSpan;
    }
}
