using System.Buffers;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using BenchmarkDotNet.Attributes;

namespace Ambrosia.Bench.Micro;

/// <summary>What the receiving coordinator does with a frame: checksum, header, numbers, and the count of its messages.</summary>
public class FrameParsingBenchmark
{
    private const int Count = 8192;
    private byte[] _frame = [];

    [GlobalSetup]
    public void Compose()
    {
        byte[] messages = Messages.Run(16, Count);
        byte[] numbers = new byte[FrameLimits.BatchPrefix];
        int length = new BatchHeader(1, 1, Count, Count).Write(numbers);
        byte[] body = [.. numbers[..length], .. messages];
        _frame = [.. new byte[FrameHeader.Size], .. body];
        FrameHeader.Write(_frame, FrameKind.Batch, body);
    }

    [Benchmark(OperationsPerInvoke = Count)]
    public int ReadAndCount()
    {
        var buffer = new ReadOnlySequence<byte>(_frame);
        if (!FrameReader.TryRead(ref buffer, 1 << 24, out _, out ReadOnlySequence<byte> body))
        {
            throw new InvalidOperationException("the frame is not whole");
        }

        BatchHeader.Read(body, out ReadOnlySequence<byte> messages);
        (int count, _) = MessageScanner.Count(messages.FirstSpan);
        return count == Count ? count : throw new InvalidOperationException("the batch changed");
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Count)]
    public uint ChecksumOnly() => Crc32C.Compute(_frame);
}
