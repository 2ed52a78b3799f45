using System.Buffers.Binary;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore.Read;

/// <summary>Looks after a record that is not valid for proof that it once was: a later record that says "durable through" it.</summary>
internal static class TailScan
{
    private const int ChunkSize = 1 << 20;

    /// <summary>
    /// Offset of such a record, or null. Then nothing behind the place was ever acknowledged: a write was torn, and cutting it loses
    /// nothing. The whole rest of the file is searched: where a damaged record ended is not known.
    /// </summary>
    public static async ValueTask<long?> FindProofAsync(IStoredFile file, SegmentHeader segment, long damagedAt, Lsn damaged)
    {
        byte[] chunk = new byte[ChunkSize];
        // Chunks overlap by a header, so that one that lies across their border is seen.
        for (long start = damagedAt; ; start += ChunkSize - RecordHeader.Size)
        {
            int length = await file.ReadAsync(chunk, start);
            if (FindProof(chunk.AsSpan(0, length), start, segment, damaged) is { } found)
            {
                return found;
            }

            if (length < ChunkSize)
            {
                return null;
            }
        }
    }

    private static long? FindProof(ReadOnlySpan<byte> bytes, long start, SegmentHeader segment, Lsn damaged)
    {
        Span<byte> number = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64LittleEndian(number, segment.Number);
        for (int from = RecordHeader.SegmentNumberOffset; from < bytes.Length;)
        {
            int hit = bytes[from..].IndexOf(number);
            if (hit < 0)
            {
                return null;
            }

            int candidate = from + hit - RecordHeader.SegmentNumberOffset;
            if (IsProof(bytes[candidate..], start + candidate, segment, damaged))
            {
                return start + candidate;
            }

            from += hit + 1;
        }

        return null;
    }

    private static bool IsProof(ReadOnlySpan<byte> bytes, long offset, SegmentHeader segment, Lsn damaged)
    {
        if (offset % RecordHeader.Alignment != 0 || bytes.Length < RecordHeader.Size || !RecordHeader.IsIntact(bytes))
        {
            return false;
        }

        RecordHeader header = RecordHeader.Read(bytes);
        return header.SegmentNumber == segment.Number && header.Epoch == segment.Epoch
            && header.OffsetUnits == (uint)(offset / RecordHeader.Alignment) && header.Lsn > damaged && header.DurableThrough >= damaged;
    }
}
