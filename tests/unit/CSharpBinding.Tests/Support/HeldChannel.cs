using Ambrosia.Primitives.Sockets;

namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>A transport whose first send does what a test wants before its bytes are out; notes what it was given, in the order of the
/// ends.</summary>
internal sealed class HeldChannel(Func<Task> hold) : IByteChannel
{
    private readonly object _gate = new();
    private readonly List<byte> _sent = [];
    private int _sends;

    public byte[] Sent
    {
        get
        {
            lock (_gate)
            {
                return [.. _sent];
            }
        }
    }

    public int Sends => Volatile.Read(ref _sends);

    public ValueTask<int> ReceiveAsync(Memory<byte> destination, CancellationToken cancellationToken) =>
        throw new NotSupportedException("It is written to only.");

    public async ValueTask SendAsync(ReadOnlyMemory<byte> first, ReadOnlyMemory<byte> second, CancellationToken cancellationToken)
    {
        if (Interlocked.Increment(ref _sends) == 1)
        {
            await hold();
        }

        lock (_gate)
        {
            _sent.AddRange(first.Span);
            _sent.AddRange(second.Span);
        }
    }
}
