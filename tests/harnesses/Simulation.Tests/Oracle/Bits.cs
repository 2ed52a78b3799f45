using System.Buffers.Binary;

namespace Ambrosia.Simulation.Tests;

/// <summary>Numbers out of numbers: what a workload does and what an observer compares. Not cryptographic, the same everywhere.</summary>
internal static class Bits
{
    public static ulong Mix(ulong a, ulong b)
    {
        ulong x = a * 0x9E3779B97F4A7C15 + b * 0xC2B2AE3D27D4EB4F + 0x165667B19E3779F9;
        x ^= x >> 29;
        x *= 0xBF58476D1CE4E5B9;
        return x ^ (x >> 32);
    }

    public static ulong Hash(ReadOnlySpan<byte> bytes)
    {
        ulong hash = (ulong)bytes.Length * 0x9E3779B97F4A7C15;
        while (bytes.Length >= 8)
        {
            hash = (hash ^ BinaryPrimitives.ReadUInt64LittleEndian(bytes)) * 0xBF58476D1CE4E5B9;
            hash ^= hash >> 31;
            bytes = bytes[8..];
        }

        foreach (byte b in bytes)
        {
            hash = (hash ^ b) * 0x94D049BB133111EB;
            hash ^= hash >> 29;
        }

        return hash;
    }

    /// <summary>A name as a number, the same in every process (string.GetHashCode is not).</summary>
    public static ulong Hash(string text)
    {
        ulong hash = 14695981039346656037;
        foreach (char c in text)
        {
            hash = (hash ^ c) * 1099511628211;
        }

        return hash;
    }
}
