namespace Ambrosia.Bench.Relay.Rings;

/// <summary>Two blocks of the process's own: one is filled while the other one is passed on.</summary>
internal sealed class PrivateBlocks(IRelayWriter to) : IRelayStage
{
    private readonly byte[][] _blocks = [new byte[1 << 20], new byte[1 << 20]];
    private int _filling;
    private int _oldest;

    public Span<byte> Room() => _blocks[_filling];

    public void Take(int count) => _filling ^= 1;

    public ReadOnlySpan<byte> Oldest(int count) => _blocks[_oldest].AsSpan(0, count);

    public void Pass(int count)
    {
        to.Write(Oldest(count));
        _oldest ^= 1;
    }

    public void End() => to.End();
}
