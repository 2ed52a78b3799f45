using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>Cuts one direction of a binding link into messages, however the bytes come.</summary>
internal sealed class StreamSplitter(IStreamObserver observer)
{
    private byte[] _pending = new byte[1024];
    private int _count;
    private long _checkpointLeft;
    private ulong _checkpointHash;

    public void Feed(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (_checkpointLeft > 0)
            {
                bytes = TakeCheckpoint(bytes);
            }
            else if (_count == 0)
            {
                int used = TakeMessages(bytes);
                if (used == 0)
                {
                    Keep(bytes);
                    return;
                }

                bytes = bytes[used..];
            }
            else
            {
                // A message that straddles two portions: portions are small, so is what is copied.
                int before = _count;
                Keep(bytes);
                int used = TakeMessages(_pending.AsSpan(0, _count));
                if (used == 0)
                {
                    return;
                }

                _count = 0;
                bytes = bytes[(used - before)..];
            }
        }
    }

    private ReadOnlySpan<byte> TakeCheckpoint(ReadOnlySpan<byte> bytes)
    {
        int part = (int)Math.Min(bytes.Length, _checkpointLeft);
        foreach (byte b in bytes[..part])
        {
            // Byte by byte: the hash must not depend on how the bytes were portioned.
            _checkpointHash = (_checkpointHash ^ b) * 1099511628211;
        }

        _checkpointLeft -= part;
        if (_checkpointLeft == 0)
        {
            observer.OnCheckpoint(_checkpointHash);
        }

        return bytes[part..];
    }

    // Returns the bytes used; stops after a message that announces a checkpoint.
    private int TakeMessages(ReadOnlySpan<byte> bytes)
    {
        int offset = 0;
        while (_checkpointLeft == 0)
        {
            // Message by message also where a batch comes in pieces.
            int head = BatchHead.SizeOf(bytes[offset..]);
            if (head > 0)
            {
                offset += head;
                continue;
            }

            if (head < 0 || !Varint.TryReadZigZag(bytes[offset..], out long size, out int prefix) || bytes.Length - offset < prefix + size)
            {
                break;
            }

            var type = (BindingMessageType)bytes[offset + prefix];
            ReadOnlySpan<byte> data = bytes.Slice(offset + prefix + 1, (int)size - 1);
            offset += prefix + (int)size;
            if (type == BindingMessageType.Checkpoint)
            {
                Varint.TryReadZigZag(data, out _checkpointLeft, out _);
                _checkpointHash = 14695981039346656037;
            }

            observer.OnMessage(type, data);
        }

        return offset;
    }

    private void Keep(ReadOnlySpan<byte> bytes)
    {
        if (_count + bytes.Length > _pending.Length)
        {
            Array.Resize(ref _pending, Math.Max(_pending.Length * 2, _count + bytes.Length));
        }

        bytes.CopyTo(_pending.AsSpan(_count));
        _count += bytes.Length;
    }
}
