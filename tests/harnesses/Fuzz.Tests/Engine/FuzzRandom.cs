namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>A small fast generator (splitmix64): the same seed gives the same inputs on every machine and every version of .NET.</summary>
internal sealed class FuzzRandom(ulong seed)
{
    private ulong _state = seed;

    public ulong NextUInt64()
    {
        _state += 0x9E3779B97F4A7C15;
        ulong z = _state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

    /// <summary>0 to <paramref name="bound"/> - 1.</summary>
    public int Next(int bound) => (int)(((NextUInt64() >> 32) * (ulong)bound) >> 32);

    /// <summary>True in one of <paramref name="of"/> cases.</summary>
    public bool OneIn(int of) => Next(of) == 0;

    public T Pick<T>(IReadOnlyList<T> from) => from[Next(from.Count)];

    public static ulong Mix(ulong a, ulong b) => new FuzzRandom(a ^ (b * 0x9E3779B97F4A7C15)).NextUInt64();
}
