using Ambrosia.Primitives.Sockets;

namespace Ambrosia.HotPath.Tests;

/// <summary>A connection whose other side sends a stream in pieces of given sizes, and notes what it gets and in how many calls.</summary>
internal sealed class ScriptedChannel(byte[] stream, params int[] pieces) : IByteChannel
{
    private int _offset;
    private int _next;

    public List<byte> Received { get; } = [];

    public int SendCalls { get; private set; }

    public async ValueTask<int> ReceiveAsync(Memory<byte> destination, CancellationToken cancellationToken)
    {
        if (pieces.Length == 0)
        {
            await Task.Delay(Timeout.Infinite, cancellationToken);
        }

        int size = Math.Min(Math.Min(pieces[_next++ % pieces.Length], destination.Length), stream.Length - _offset);
        stream.AsMemory(_offset, size).CopyTo(destination);
        _offset += size;
        return size;
    }

    public ValueTask SendAsync(ReadOnlyMemory<byte> first, ReadOnlyMemory<byte> second, CancellationToken cancellationToken)
    {
        SendCalls++;
        Received.AddRange(first.Span);
        Received.AddRange(second.Span);
        return default;
    }
}
