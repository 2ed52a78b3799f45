using System.Buffers;
using Ambrosia.Fuzz.Tests.Engine;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>A structure that is read from one span: what was read, written again, reads as the same.</summary>
internal sealed class CodecTarget<T>(string name, CodecTarget<T>.Reader read, Action<T, IBufferWriter<byte>> write,
    IEnumerable<byte[]> seeds, int weight = 8, long allocationBase = 8 * 1024)
    : FuzzTarget
{
    private readonly ArrayBufferWriter<byte> _again = new(1024);

    public delegate T Reader(ReadOnlySpan<byte> bytes);

    public override string Name => name;

    public override int Weight => weight;

    public override int Largest => 2048;

    public override long AllocationBase => allocationBase;

    public override IEnumerable<byte[]> Seeds() => seeds;

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        T value = read(input.Span);
        _again.ResetWrittenCount();
        write(value, _again);
        Require(_again.WrittenCount <= input.Length, "what is written is never longer than what was read");
        Require(_again.WrittenSpan.SequenceEqual(input.Span) || IsSame(value), "what was written again reads as the same");
        return Accepted;
    }

    private bool IsSame(T value)
    {
        if (EqualityComparer<T>.Default.Equals(value, read(_again.WrittenSpan)))
        {
            return true;
        }

        // Values that hold lists compare by what is written: the second writing must not differ from the first.
        byte[] first = _again.WrittenSpan.ToArray();
        _again.ResetWrittenCount();
        write(read(first), _again);
        return _again.WrittenSpan.SequenceEqual(first);
    }
}
