using System.Buffers.Binary;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>
/// What lies below the ciphers. TLS records (RFC 8446, 5.1) are received as many at a time as there are, and handed up one by one: a
/// reader that has waited for a whole one gets it deciphered on its own thread. What is enciphered can be gathered and leaves in one system
/// call, instead of one for every 16 KiB.
/// </summary>
internal sealed class RecordStream(IByteChannel channel) : Stream
{
    private const int HeaderSize = 5;
    private const int LengthOffset = 3;
    private const int LargestRecord = HeaderSize + (16 * 1024) + 256;
    private const int Smallest = 2 * LargestRecord;
    private const int Largest = 256 * 1024;
    private byte[] _received = [];
    private int _start; // First byte that was not handed up.
    private int _end; // Behind the last byte received.
    private int _left; // Bytes of the record at the start that were not handed up; 0: a header comes next.
    private int _wanted = Smallest;
    private bool _ended;
    private byte[] _gathered = [];
    private int _used;
    private bool _gathers;

    /// <inheritdoc/>
    public override bool CanRead => true;

    /// <inheritdoc/>
    public override bool CanWrite => true;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override long Length => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    private int Available => _end - _start;

    // What claims to be larger than a record can be is for the ciphers to refuse.
    private bool HasRecord =>
        _left > 0 ? Available >= _left : Available >= HeaderSize && (RecordSize > LargestRecord || Available >= RecordSize);

    private int RecordSize => HeaderSize + BinaryPrimitives.ReadUInt16BigEndian(_received.AsSpan(_start + LengthOffset));

    /// <summary>Completes when the next record is there as a whole, or nothing more comes.</summary>
    public async ValueTask WaitForRecordAsync(CancellationToken cancellationToken)
    {
        while (!HasRecord && !_ended)
        {
            await ReceiveAsync(cancellationToken);
        }
    }

    /// <summary>From here on what is written waits for <see cref="SendGatheredAsync"/>.</summary>
    public void Gather() => _gathers = true;

    /// <summary>Sends what was gathered.</summary>
    public async ValueTask SendGatheredAsync(CancellationToken cancellationToken)
    {
        _gathers = false;
        (int used, _used) = (_used, 0);
        await channel.SendAsync(_gathered.AsMemory(0, used), ReadOnlyMemory<byte>.Empty, cancellationToken);
    }

    /// <inheritdoc/>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (_left == 0 && !_ended)
        {
            if (Available >= HeaderSize)
            {
                _left = RecordSize;
            }
            else
            {
                await ReceiveAsync(cancellationToken);
            }
        }

        if (Available == 0 && !_ended)
        {
            await ReceiveAsync(cancellationToken);
        }

        // At the end whatever is left, complete or not.
        int size = Math.Min(Math.Min(buffer.Length, Available), _left > 0 ? _left : Available);
        _received.AsMemory(_start, size).CopyTo(buffer);
        _start += size;
        _left = Math.Max(0, _left - size);
        return size;
    }

    /// <inheritdoc/>
    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (!_gathers)
        {
            return channel.SendAsync(buffer, ReadOnlyMemory<byte>.Empty, cancellationToken);
        }

        int needed = _used + buffer.Length;
        if (_gathered.Length < needed)
        {
            byte[] larger = GC.AllocateUninitializedArray<byte>(Math.Max(needed, 2 * _gathered.Length));
            Buffer.BlockCopy(_gathered, 0, larger, 0, _used);
            _gathered = larger;
        }

        buffer.CopyTo(_gathered.AsMemory(_used));
        _used = needed;
        return default;
    }

    /// <inheritdoc/>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    /// <inheritdoc/>
    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    /// <inheritdoc/>
    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public override void Flush()
    {
    }

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException("A loop must not be blocked.");

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException("A loop must not be blocked.");

    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void SetLength(long value) => throw new NotSupportedException();

    private async ValueTask ReceiveAsync(CancellationToken cancellationToken)
    {
        MakeRoom();
        int room = _received.Length - _end;
        int received = await channel.ReceiveAsync(_received.AsMemory(_end, room), cancellationToken);
        _end += received;
        _ended = received == 0;
        if (received == room && _wanted < Largest)
        {
            _wanted *= 2; // There was more.
        }
    }

    // For the rest of a whole record at least.
    private void MakeRoom()
    {
        int unread = Available;
        if (_received.Length < _wanted)
        {
            byte[] larger = GC.AllocateUninitializedArray<byte>(_wanted);
            Buffer.BlockCopy(_received, _start, larger, 0, unread);
            (_received, _start, _end) = (larger, 0, unread);
        }
        else if (unread == 0 || _received.Length - _end < LargestRecord)
        {
            Buffer.BlockCopy(_received, _start, _received, 0, unread);
            (_start, _end) = (0, unread);
        }
    }
}
