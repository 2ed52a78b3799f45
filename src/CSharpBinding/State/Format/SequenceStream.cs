using System.Buffers;

namespace Ambrosia.Runtime;

/// <summary>Reads a sequence of bytes that lies in memory as a stream.</summary>
internal sealed class SequenceStream(ReadOnlySequence<byte> rest) : Stream
{
    private ReadOnlySequence<byte> _rest = rest;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count)
    {
        int size = (int)Math.Min(count, _rest.Length);
        _rest.Slice(0, size).CopyTo(buffer.AsSpan(offset, size));
        _rest = _rest.Slice(size);
        return size;
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
