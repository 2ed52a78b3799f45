namespace Ambrosia.Primitives;

/// <summary>
/// What a checksum becomes behind any number of zero bytes, in a step per bit of that number. A checksum is a polynomial over single bits,
/// and a zero byte multiplies it by x^8; so spans whose checksums are known can be joined without their bytes.
/// </summary>
internal static class Crc32CZeros
{
    private const uint Polynomial = 0x82F63B78; // Reflected: the highest bit stands for x^0.
    private const uint One = 1u << 31;
    private static readonly uint[] s_powers = Powers();

    /// <summary>The state behind <paramref name="count"/> zero bytes, neither inverted before nor after.</summary>
    public static uint Behind(uint state, int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        for (int i = 0; count != 0; i++, count >>= 1)
        {
            state = (count & 1) != 0 ? Multiply(s_powers[i], state) : state;
        }

        return state;
    }

    // Entry i is x^(8 * 2^i).
    private static uint[] Powers()
    {
        uint[] powers = new uint[31];
        powers[0] = One >> 8;
        for (int i = 1; i < powers.Length; i++)
        {
            powers[i] = Multiply(powers[i - 1], powers[i - 1]);
        }

        return powers;
    }

    private static uint Multiply(uint a, uint b)
    {
        uint product = 0;
        for (; a != 0; a <<= 1)
        {
            product ^= b & (uint)-(int)(a >> 31);
            b = (b >> 1) ^ (Polynomial & (uint)-(int)(b & 1));
        }

        return product;
    }
}
