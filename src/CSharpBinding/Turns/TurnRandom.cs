using System.Buffers.Binary;

namespace Ambrosia.Runtime;

/// <summary>
/// Random numbers that are the same whenever the turn is executed again. Its algorithm (SplitMix64 seeded by SHA-256) is part of the log's
/// meaning and must not change.
/// </summary>
internal sealed class TurnRandom(TurnClock clock, Action requireTurn) : Random
{
    private long _turn = -1;
    private ulong _state;

    /// <inheritdoc/>
    public override int Next() => (int)NextInt64(0, int.MaxValue);

    /// <inheritdoc/>
    public override int Next(int maxValue) => (int)NextInt64(0, CheckRange(0, maxValue, nameof(maxValue)));

    /// <inheritdoc/>
    public override int Next(int minValue, int maxValue) => (int)NextInt64(minValue, CheckRange(minValue, maxValue, nameof(minValue)));

    /// <inheritdoc/>
    public override long NextInt64() => NextInt64(0, long.MaxValue);

    /// <inheritdoc/>
    public override long NextInt64(long maxValue) => NextInt64(0, maxValue);

    /// <inheritdoc/>
    public override long NextInt64(long minValue, long maxValue)
    {
        ulong range = (ulong)(CheckRange(minValue, maxValue, nameof(minValue)) - minValue);
        return range == 0 ? minValue : minValue + (long)Math.BigMul(NextBits(), range, out _);
    }

    /// <inheritdoc/>
    public override double NextDouble() => (NextBits() >> 11) * (1.0 / (1ul << 53));

    /// <inheritdoc/>
    public override float NextSingle() => (NextBits() >> 40) * (1.0f / (1u << 24));

    /// <inheritdoc/>
    public override void NextBytes(byte[] buffer) => NextBytes(buffer.AsSpan());

    /// <inheritdoc/>
    public override void NextBytes(Span<byte> buffer)
    {
        Span<byte> bits = stackalloc byte[8];
        while (!buffer.IsEmpty)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(bits, NextBits());
            int count = Math.Min(8, buffer.Length);
            bits[..count].CopyTo(buffer);
            buffer = buffer[count..];
        }
    }

    /// <inheritdoc/>
    protected override double Sample() => NextDouble();

    private ulong NextBits()
    {
        requireTurn();
        if (_turn != clock.TurnNumber)
        {
            Span<byte> seed = stackalloc byte[32];
            clock.Draw(seed);
            _state = BinaryPrimitives.ReadUInt64LittleEndian(seed);
            _turn = clock.TurnNumber;
        }

        ulong z = _state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

    private static long CheckRange(long min, long max, string name) =>
        max >= min ? max : throw new ArgumentOutOfRangeException(name, max, $"The range {min} to {max} is empty.");
}
