using System.Buffers;

namespace Ambrosia.Link;

/// <summary>A growing run of bytes without a copy at each growth and without the 2 GiB limit of an array: a checkpoint in memory.</summary>
internal sealed class ChunkedBuffer : IBufferWriter<byte>, IDisposable
{
    private const int FirstChunk = 16 * 1024;
    private const int LargestChunk = 4 * 1024 * 1024;
    private readonly List<(byte[] Buffer, int Used)> _chunks = [];
    private byte[] _current = [];
    private int _used;
    private long _fullBytes;

    /// <summary>Bytes written.</summary>
    public long Length => _fullBytes + _used;

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)count, (uint)(_current.Length - _used), nameof(count));
        _used += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Ensure(sizeHint);
        return _current.AsMemory(_used);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Ensure(sizeHint);
        return _current.AsSpan(_used);
    }

    /// <summary>The bytes written so far; valid until the next write or <see cref="Dispose"/>.</summary>
    public ReadOnlySequence<byte> ToSequence()
    {
        if (_chunks.Count == 0)
        {
            return new ReadOnlySequence<byte>(_current, 0, _used);
        }

        var first = new Segment(_chunks[0].Buffer.AsMemory(0, _chunks[0].Used), 0);
        Segment last = first;
        for (int i = 1; i < _chunks.Count; i++)
        {
            last = last.Append(_chunks[i].Buffer.AsMemory(0, _chunks[i].Used));
        }

        last = last.Append(_current.AsMemory(0, _used));
        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    /// <summary>Gives the memory back.</summary>
    public void Dispose()
    {
        foreach ((byte[] buffer, _) in _chunks)
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }

        if (_current.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_current);
        }

        _chunks.Clear();
        _current = [];
        _used = 0;
        _fullBytes = 0;
    }

    private void Ensure(int sizeHint)
    {
        int needed = Math.Max(sizeHint, 1);
        if (_current.Length - _used >= needed)
        {
            return;
        }

        if (_current.Length > 0)
        {
            _chunks.Add((_current, _used));
            _fullBytes += _used;
        }

        int next = Math.Clamp(2 * _current.Length, FirstChunk, LargestChunk);
        _current = ArrayPool<byte>.Shared.Rent(Math.Max(next, needed));
        _used = 0;
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public Segment(ReadOnlyMemory<byte> memory, long index)
        {
            Memory = memory;
            RunningIndex = index;
        }

        public Segment Append(ReadOnlyMemory<byte> memory)
        {
            var next = new Segment(memory, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }
}
