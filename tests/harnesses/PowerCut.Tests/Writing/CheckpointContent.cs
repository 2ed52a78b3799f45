using System.Buffers.Binary;

namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>State as of a record: the numbers reached, then bytes that follow from the position.</summary>
internal static class CheckpointContent
{
    private const int NumbersSize = Promise.Publishers * sizeof(long);
    private const int Publisher = 1000;

    public static byte[] Write(ulong lsn, long[] reached, int filler)
    {
        byte[] bytes = new byte[NumbersSize + Message.HeaderSize + filler];
        for (int i = 0; i < reached.Length; i++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(i * sizeof(long)), reached[i]);
        }

        Message.Write(bytes.AsSpan(NumbersSize), Publisher, (long)lsn);
        return bytes;
    }

    /// <summary>The numbers; throws when the content is not one that was written for this position.</summary>
    public static long[] Read(byte[] bytes, ulong lsn, Promise promise)
    {
        long[] reached = [.. Enumerable.Range(0, Promise.Publishers)
            .Select(i => BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(i * sizeof(long))))];
        ReadOnlySpan<byte> rest = bytes.AsSpan(NumbersSize);
        (int publisher, long number) = Message.Take(ref rest);
        if (publisher != Publisher || number != (long)lsn || !rest.IsEmpty)
        {
            throw new BrokenPromiseException($"the checkpoint at LSN {lsn} has the content of another");
        }

        return promise.CheckpointAt(lsn) is { } written && written.SequenceEqual(reached) ? reached
            : throw new BrokenPromiseException($"the checkpoint at LSN {lsn} has numbers that were never written");
    }
}
