using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Format;

namespace Ambrosia.Fuzz.Tests.Rot;

/// <summary>Takes the files of an undamaged log apart, by docs/internals/log-format.md and not by the readers under test.</summary>
internal static class Anatomy
{
    public static List<Part> Of(RotLog log)
    {
        var parts = new List<Part>();
        ulong[] segments = log.Segments();
        foreach (ulong segment in segments)
        {
            AddSegment(parts, log, log.Segment(segment), isLast: segment == segments[^1]);
        }

        foreach (ulong lsn in log.Checkpoints.Keys)
        {
            AddCheckpoint(parts, log.Checkpoint(lsn), lsn, lsn == log.Checkpoints.Keys.Last() ? PartKind.NewestCheckpoint
                : PartKind.OlderCheckpoint);
        }

        foreach (string file in Directory.EnumerateFiles(log.Folder, "manifest.*"))
        {
            parts.Add(new Part(file, PartKind.Manifest, 0, new FileInfo(file).Length, 0));
        }

        foreach (string file in Directory.EnumerateFiles(Path.Combine(log.Folder, "log"), "*.free")
            .Append(Path.Combine(log.Folder, "lock")))
        {
            parts.Add(new Part(file, PartKind.Unused, 0, new FileInfo(file).Length, 0));
        }

        return [.. parts.Where(static part => part.Length > 0)];
    }

    private static void AddSegment(List<Part> parts, RotLog log, string file, bool isLast)
    {
        byte[] bytes = File.ReadAllBytes(file);
        parts.Add(new Part(file, PartKind.SegmentHeader, 0, SegmentHeader.Size, 0));
        long at = SegmentHeader.Size;
        ulong lsn = BitConverter.ToUInt64(bytes, 48);
        while (at + RecordHeader.Size <= bytes.Length && BitConverter.ToUInt64(bytes, (int)at + 16) == lsn)
        {
            long size = (RecordHeader.Size + BitConverter.ToUInt32(bytes, (int)at + 8) + 7L) / 8 * 8;
            parts.Add(new Part(file, isLast && lsn == log.Last ? PartKind.LastRecord : PartKind.Record, at, size, lsn++));
            at += size;
        }

        if (isLast)
        {
            long mark = Math.Min(RecordHeader.Size, bytes.Length - at);
            parts.Add(new Part(file, PartKind.EndMark, at, mark, lsn));
            at += mark;
        }

        parts.Add(new Part(file, PartKind.Unused, at, bytes.Length - at, lsn));
    }

    private static void AddCheckpoint(List<Part> parts, string file, ulong lsn, PartKind kind)
    {
        byte[] bytes = File.ReadAllBytes(file);
        parts.Add(new Part(file, kind, 0, CheckpointHeader.Size, lsn));
        for (long at = CheckpointHeader.Size; at < bytes.Length;)
        {
            uint size = BitConverter.ToUInt32(bytes, (int)at + 4);
            long length = size == uint.MaxValue ? CheckpointFormat.FooterSize : CheckpointFormat.BlockHeaderSize + size;
            parts.Add(new Part(file, kind, at, length, lsn));
            at += length;
        }
    }
}
