namespace Ambrosia.Bench.Relay.Rings;

/// <summary>Receives into memory of its own.</summary>
internal sealed class SocketReader(LookingSocket socket) : IRelayReader
{
    private readonly byte[] _block = new byte[1 << 20];
    private int _begin;
    private int _end;

    public ReadOnlySpan<byte> Receive()
    {
        if (_begin == _end)
        {
            (_begin, _end) = (0, socket.Receive(_block));
        }

        return _block.AsSpan(_begin, _end - _begin);
    }

    public void Release(int count) => _begin += count;
}
