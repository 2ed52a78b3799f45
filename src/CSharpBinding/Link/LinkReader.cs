using System.Buffers;
using System.Runtime.CompilerServices;
using Ambrosia.Protocol;

namespace Ambrosia.Link;

/// <summary>
/// Cuts the coordinator's stream into messages and hands them over straight from the transport's buffers; only a message that
/// straddles two of them is copied. Limits hold before anything is kept. A record needs not be there as a whole.
/// </summary>
internal sealed class LinkReader(ILinkMessages receiver) : IDisposable
{
    // Longest head of a message that is taken apart before all of it is there: size, type and two counts of a batch.
    private const int LargestHead = 3 * Varint.MaxSize64 + 1;
    private const long LargestControl = 1 << 20;
    private ChunkedBuffer? _checkpoint;
    private long _checkpointRemaining;
    private long _recordRemaining = -1;
    private int _recordMessages;
    private long _batchEnd = -1; // Value of _recordRemaining at which the present batch must end.
    private int _batchMessages;

    /// <summary>True between the messages of a record or inside a checkpoint: the stream must not end here.</summary>
    public bool IsInside => _recordRemaining >= 0 || _checkpoint is not null;

    /// <summary>Takes all whole messages off the front of <paramref name="buffer"/>, unless the receiver wants a pause.</summary>
    /// <returns>True if it stopped for the receiver, false if more bytes are needed.</returns>
    /// <exception cref="ProtocolException">The coordinator broke a rule.</exception>
    public bool Read(ref ReadOnlySequence<byte> buffer)
    {
        while (!buffer.IsEmpty)
        {
            if (_checkpoint is not null)
            {
                ReadCheckpoint(ref buffer);
            }
            else
            {
                int used = ReadSpan(buffer.FirstSpan);
                if (used > 0)
                {
                    buffer = buffer.Slice(used);
                }
                else if (!ReadStraddling(ref buffer))
                {
                    return false;
                }
            }

            if (receiver.ShouldPause)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Drops a checkpoint that was received in part.</summary>
    public void Dispose() => _checkpoint?.Dispose();

    private int ReadSpan(ReadOnlySpan<byte> span)
    {
        int offset = 0;
        while (offset < span.Length)
        {
            int used = ReadMessage(span[offset..]);
            offset += used;
            if (used == 0 || _checkpoint is not null || receiver.ShouldPause)
            {
                break;
            }
        }

        return offset;
    }

    // Returns the bytes used: 0 if the message is not complete.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int ReadMessage(ReadOnlySpan<byte> span)
    {
        if (!Varint.TryReadZigZag(span, out long size, out int prefix))
        {
            return prefix == 0 ? 0 : throw new ProtocolException("message size is malformed", 0);
        }

        if (span.Length < prefix + 1)
        {
            return 0;
        }

        var type = (BindingMessageType)span[prefix];
        if (_recordRemaining >= 0)
        {
            return type == BindingMessageType.Rpc ? ReadRpc(span, size, prefix) : ReadBatchHead(span, type, size, prefix);
        }

        Check(size, LargestControl, type);
        if (span.Length - prefix < size)
        {
            return 0;
        }

        OnMessage(type, span.Slice(prefix + 1, (int)size - 1));
        return prefix + (int)size;
    }

    private int ReadRpc(ReadOnlySpan<byte> span, long size, int prefix)
    {
        // Its record is the bound: it may have been logged when larger ones were accepted than today.
        Check(size, int.MaxValue, BindingMessageType.Rpc);
        long total = prefix + size;
        if (total > _recordRemaining - Math.Max(_batchEnd, 0))
        {
            throw new ProtocolException($"message of {total} bytes exceeds its record or batch", 0);
        }

        if (span.Length < total)
        {
            return 0;
        }

        if (--_recordMessages < 0)
        {
            throw new ProtocolException("record holds more messages than it announced", 0);
        }

        receiver.OnRpc(span.Slice(prefix + 1, (int)size - 1));
        _batchMessages--;
        Consume(total);
        return (int)total;
    }

    // Only the head of a batch is consumed here; its messages then come one by one like those outside of a batch.
    private int ReadBatchHead(ReadOnlySpan<byte> span, BindingMessageType type, long size, int prefix)
    {
        if (_batchEnd >= 0 || type is not (BindingMessageType.RpcBatch or BindingMessageType.CountReplayableRpcBatch))
        {
            throw new ProtocolException($"message of type {(byte)type} inside a record", 0);
        }

        Check(size, _recordRemaining - prefix, type);
        ReadOnlySpan<byte> counts = span[(prefix + 1)..];
        int fields = 0;
        long count = 0;
        for (int i = type == BindingMessageType.RpcBatch ? 1 : 0; i < 2; i++)
        {
            if (!Varint.TryReadZigZag(counts[fields..], out long value, out int length))
            {
                return length == 0 && span.Length < LargestHead ? 0 : throw new ProtocolException("batch count is malformed", 0);
            }

            // The first number counts all messages; the replayable ones are no business of the app.
            count = fields == 0 ? value : count;
            fields += length;
        }

        if (count < 0 || count > _recordMessages || fields > size - 1)
        {
            throw new ProtocolException($"batch of {count} messages in a record that has {_recordMessages} left", 0);
        }

        _batchMessages = (int)count;
        _batchEnd = _recordRemaining - prefix - size;
        Consume(prefix + 1 + fields);
        return prefix + 1 + fields;
    }

    private void Consume(long bytes)
    {
        _recordRemaining -= bytes;
        if (_recordRemaining == _batchEnd)
        {
            if (_batchMessages != 0)
            {
                throw new ProtocolException($"batch ends {_batchMessages} messages short", 0);
            }

            _batchEnd = -1;
        }

        EndRecordIfDone();
    }

    private void EndRecordIfDone()
    {
        if (_recordRemaining != 0)
        {
            return;
        }

        if (_recordMessages != 0)
        {
            throw new ProtocolException($"record ends {_recordMessages} messages short", 0);
        }

        _recordRemaining = -1;
        receiver.OnRecordEnd();
    }

    private void OnMessage(BindingMessageType type, ReadOnlySpan<byte> data)
    {
        switch (type)
        {
            case BindingMessageType.RecordInfo:
                RecordInfo record = RecordInfo.Read(data);
                _recordRemaining = record.PayloadSize;
                _recordMessages = record.MessageCount;
                receiver.OnRecord(record);
                EndRecordIfDone();
                break;
            case BindingMessageType.Checkpoint:
                var reader = new ByteReader(data);
                _checkpointRemaining = reader.ReadZigZag("checkpoint size");
                reader.ExpectEnd("checkpoint");
                if (_checkpointRemaining < 0)
                {
                    throw new ProtocolException($"checkpoint of {_checkpointRemaining} bytes", 0);
                }

                _checkpoint = new ChunkedBuffer();
                EndCheckpointIfDone();
                break;
            default:
                receiver.OnControl(type, data);
                break;
        }
    }

    private void ReadCheckpoint(ref ReadOnlySequence<byte> buffer)
    {
        ReadOnlySpan<byte> part = buffer.FirstSpan;
        part = part[..(int)Math.Min(part.Length, _checkpointRemaining)];
        _checkpoint!.Write(part);
        _checkpointRemaining -= part.Length;
        buffer = buffer.Slice(part.Length);
        EndCheckpointIfDone();
    }

    private void EndCheckpointIfDone()
    {
        if (_checkpointRemaining == 0)
        {
            ChunkedBuffer whole = _checkpoint!;
            _checkpoint = null;
            receiver.OnCheckpoint(whole);
        }
    }

    private bool ReadStraddling(ref ReadOnlySequence<byte> buffer)
    {
        Span<byte> head = stackalloc byte[LargestHead];
        head = head[..(int)Math.Min(LargestHead, buffer.Length)];
        buffer.Slice(0, head.Length).CopyTo(head);
        if (!Varint.TryReadZigZag(head, out long size, out int prefix))
        {
            return prefix == 0 && buffer.Length < Varint.MaxSize64 ? false : throw new ProtocolException("message size is malformed", 0);
        }

        // The head of a batch fits here; anything else must be there as a whole.
        bool batch = _recordRemaining >= 0 && head.Length > prefix && head[prefix] != (byte)BindingMessageType.Rpc;
        // Said now, not when its last byte comes: that byte belongs to something else, and may take its time.
        Check(size, _recordRemaining >= 0 ? _recordRemaining - Math.Max(_batchEnd, 0) - prefix : LargestControl, 0);
        long whole = batch ? head.Length : prefix + size;
        if (whole > buffer.Length)
        {
            return false;
        }

        byte[] copy = ArrayPool<byte>.Shared.Rent((int)whole);
        try
        {
            buffer.Slice(0, whole).CopyTo(copy);
            int used = ReadMessage(copy.AsSpan(0, (int)whole));
            buffer = buffer.Slice(used);
            return used > 0;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(copy);
        }
    }

    private static void Check(long size, long largest, BindingMessageType type)
    {
        if (size < 1 || size > largest || size > int.MaxValue - 16)
        {
            throw new ProtocolException(
                $"message of type {(byte)type} and {size} bytes; 1 to {Math.Min(largest, int.MaxValue - 16)} are allowed here", 0);
        }
    }
}
