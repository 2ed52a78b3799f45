using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.Link;

/// <summary>
/// Bytes on their way to the coordinator, as ranges of one pooled buffer. Ranges, because the header of a run of messages is
/// written last and is shorter than the room kept for it.
/// </summary>
internal sealed class OutgoingChunk(int capacity)
{
    private (int Start, int Length)[] _ranges = new (int, int)[8];
    private int _rangeCount;
    private int _length;

    /// <summary>The buffer; at least as large as asked for.</summary>
    public byte[] Buffer { get; private set; } = ArrayPool<byte>.Shared.Rent(capacity);

    /// <summary>Sent after the ranges, and disposed with the chunk: a checkpoint.</summary>
    public ChunkedBuffer? Content { get; init; }

    /// <summary>Bytes that will be sent.</summary>
    public long Length => _length + (Content?.Length ?? 0);

    /// <summary>What will be sent, in order.</summary>
    public ReadOnlySpan<(int Start, int Length)> Ranges => _ranges.AsSpan(0, _rangeCount);

    /// <summary>One of the ranges.</summary>
    public ReadOnlyMemory<byte> this[int range] => Buffer.AsMemory(_ranges[range].Start, _ranges[range].Length);

    /// <summary>One complete message.</summary>
    /// <param name="type">Its type.</param>
    /// <param name="data">Its data.</param>
    /// <param name="content">What follows it in the stream; null if nothing does.</param>
    public static OutgoingChunk Whole(BindingMessageType type, ReadOnlySpan<byte> data, ChunkedBuffer? content)
    {
        var chunk = new OutgoingChunk(Varint.MaxSize32 + 1 + data.Length) { Content = content };
        int size = Varint.WriteZigZag(chunk.Buffer, data.Length + 1);
        chunk.Buffer[size++] = (byte)type;
        data.CopyTo(chunk.Buffer.AsSpan(size));
        chunk.Add(0, size + data.Length);
        return chunk;
    }

    /// <summary>Appends a range; it is merged with the last one if it follows it without a gap.</summary>
    public void Add(int start, int length)
    {
        _length += length;
        if (_rangeCount > 0 && _ranges[_rangeCount - 1] is var last && last.Start + last.Length == start)
        {
            _ranges[_rangeCount - 1].Length += length;
            return;
        }

        if (_rangeCount == _ranges.Length)
        {
            Array.Resize(ref _ranges, 2 * _rangeCount);
        }

        _ranges[_rangeCount++] = (start, length);
    }

    /// <summary>Gives the buffer back; the chunk must not be used afterwards.</summary>
    public void Release()
    {
        Content?.Dispose();
        byte[] buffer = Buffer;
        Buffer = [];
        if (buffer.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}
