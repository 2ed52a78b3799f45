namespace Ambrosia.Bench.Relay.Rings;

/// <summary>Copies what lies in a ring before it is looked at: its writer can still change it there.</summary>
internal sealed class CopyingReader(IRelayReader ring) : IRelayReader
{
    private readonly byte[] _block = new byte[256 * 1024];
    private int _begin;
    private int _end;

    public ReadOnlySpan<byte> Receive()
    {
        if (_begin == _end)
        {
            ReadOnlySpan<byte> there = ring.Receive();
            (_begin, _end) = (0, Math.Min(there.Length, _block.Length));
            there[.._end].CopyTo(_block);
            ring.Release(_end);
        }

        return _block.AsSpan(_begin, _end - _begin);
    }

    public void Release(int count) => _begin += count;
}
