using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.Arm;
using System.Runtime.Intrinsics.X86;

namespace Ambrosia.Primitives;

/// <summary>
/// CRC-32C of long spans in three chains at once: the processor starts a step per cycle but finishes it three cycles later, so one chain
/// leaves two thirds of it idle. The chains are joined by tables that say what a state becomes behind as many zeros as a lane is long.
/// </summary>
internal static class Crc32CLanes
{
    private const int LongLane = 4096;
    private const int ShortLane = 256;
    private const uint Polynomial = 0x82F63B78; // Reflected.
    private static readonly uint[] s_long = TableFor(LongLane);
    private static readonly uint[] s_short = TableFor(ShortLane);

    /// <summary>A step of a chain.</summary>
    private interface IStep
    {
        static abstract uint Take(uint state, ulong value);

        static abstract uint Take(uint state, byte value);
    }

    /// <summary>
    /// Folds bytes into a state: in three chains what fills whole lanes, the rest one after the other. What the processor has is asked
    /// here: code compiled ahead of time asks it while it runs, and inside the loops that would cost more than the steps.
    /// </summary>
    public static uint Append(uint state, ReadOnlySpan<byte> source)
    {
        if (Sse42.X64.IsSupported)
        {
            return Append<X64Step>(state, source);
        }

        return Crc32.Arm64.IsSupported ? Append<Arm64Step>(state, source) : Append<AnyStep>(state, source);
    }

    private static uint Append<TStep>(uint state, ReadOnlySpan<byte> source)
        where TStep : struct, IStep
    {
        while (BitConverter.IsLittleEndian && source.Length >= 3 * LongLane)
        {
            state = Fold<TStep>(state, source[..(3 * LongLane)], LongLane, s_long);
            source = source[(3 * LongLane)..];
        }

        while (BitConverter.IsLittleEndian && source.Length >= 3 * ShortLane)
        {
            state = Fold<TStep>(state, source[..(3 * ShortLane)], ShortLane, s_short);
            source = source[(3 * ShortLane)..];
        }

        while (source.Length >= sizeof(ulong))
        {
            state = TStep.Take(state, BinaryPrimitives.ReadUInt64LittleEndian(source));
            source = source[sizeof(ulong)..];
        }

        foreach (byte value in source)
        {
            state = TStep.Take(state, value);
        }

        return state;
    }

    private static uint Fold<TStep>(uint state, ReadOnlySpan<byte> source, int lane, uint[] table)
        where TStep : struct, IStep
    {
        ReadOnlySpan<ulong> first = MemoryMarshal.Cast<byte, ulong>(source[..lane]);
        ReadOnlySpan<ulong> second = MemoryMarshal.Cast<byte, ulong>(source.Slice(lane, lane));
        ReadOnlySpan<ulong> third = MemoryMarshal.Cast<byte, ulong>(source.Slice(2 * lane, lane));
        (uint a, uint b, uint c) = (state, 0, 0);
        for (int i = 0; i < first.Length && i < second.Length && i < third.Length; i++)
        {
            a = TStep.Take(a, first[i]);
            b = TStep.Take(b, second[i]);
            c = TStep.Take(c, third[i]);
        }

        return Shift(table, Shift(table, a) ^ b) ^ c;
    }

    private static uint Shift(uint[] table, uint state) =>
        table[state & 0xFF] ^ table[256 + ((state >> 8) & 0xFF)] ^ table[512 + ((state >> 16) & 0xFF)] ^ table[768 + (state >> 24)];

    /// <summary>What each of the four bytes of a state becomes behind <paramref name="zeros"/> zero bytes, a power of two.</summary>
    private static uint[] TableFor(int zeros)
    {
        // Appending zeros is linear over bits: a matrix of 32 columns, squared until it stands for enough of them.
        uint[] matrix = new uint[32];
        for (int bit = 0; bit < 32; bit++)
        {
            matrix[bit] = BehindZeroByte(1u << bit);
        }

        for (int length = 1; length < zeros; length *= 2)
        {
            uint[] half = matrix;
            matrix = Array.ConvertAll(half, column => Multiply(half, column));
        }

        uint[] table = new uint[4 * 256];
        for (int i = 0; i < table.Length; i++)
        {
            table[i] = Multiply(matrix, (uint)(i & 0xFF) << (8 * (i >> 8)));
        }

        return table;
    }

    private static uint BehindZeroByte(uint state)
    {
        for (int i = 0; i < 8; i++)
        {
            state = (state & 1) != 0 ? (state >> 1) ^ Polynomial : state >> 1;
        }

        return state;
    }

    private static uint Multiply(uint[] matrix, uint vector)
    {
        uint product = 0;
        for (int bit = 0; vector != 0; bit++, vector >>= 1)
        {
            product ^= (vector & 1) != 0 ? matrix[bit] : 0;
        }

        return product;
    }

    private readonly struct X64Step : IStep
    {
        public static uint Take(uint state, ulong value) => (uint)Sse42.X64.Crc32(state, value);

        public static uint Take(uint state, byte value) => Sse42.Crc32(state, value);
    }

    private readonly struct Arm64Step : IStep
    {
        public static uint Take(uint state, ulong value) => Crc32.Arm64.ComputeCrc32C(state, value);

        public static uint Take(uint state, byte value) => Crc32.ComputeCrc32C(state, value);
    }

    private readonly struct AnyStep : IStep
    {
        public static uint Take(uint state, ulong value) => BitOperations.Crc32C(state, value);

        public static uint Take(uint state, byte value) => BitOperations.Crc32C(state, value);
    }
}
