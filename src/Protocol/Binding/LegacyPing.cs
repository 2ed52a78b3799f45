using System.Buffers.Binary;

namespace Ambrosia.Protocol;

/// <summary>
/// AMBROSIA's published client protocol: a ping ends with five little-endian numbers of 64 bits; its receiver writes the time into the
/// first, in ticks of 100 ns since 1601.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class LegacyPing
{
    /// <summary>Size of the numbers at its end, in bytes.</summary>
    public const int NumbersSize = 5 * sizeof(long);

    /// <summary>Writes the time into a ping that has its numbers.</summary>
    public static void Stamp(Span<byte> ping, DateTimeOffset now) =>
        BinaryPrimitives.WriteInt64LittleEndian(ping[^NumbersSize..], now.ToFileTime());

    /// <summary>What answers a ping: the same bytes, with the time if there is room for it.</summary>
    /// <param name="data">Data of the message.</param>
    /// <param name="now">The time.</param>
    public static byte[] Answer(byte[] data, DateTimeOffset now)
    {
        byte[] answer = LegacyDestination.Read(data).Rpc.ToArray();
        if (answer.Length >= NumbersSize)
        {
            Stamp(answer, now);
        }

        return answer;
    }
}
