using System.ComponentModel.DataAnnotations;
using Ambrosia.LogStore.Format;

namespace Ambrosia.LogStore.Settings;

/// <summary>Sizes and limits of one log.</summary>
public sealed record LogStoreOptions
{
    /// <summary>Name of the cluster, checked against the log's headers at start. Default empty. At most 63 bytes.</summary>
    public string Cluster { get; init; } = "";

    /// <summary>Bytes of a segment at which the next one begins. Default 64 MiB.</summary>
    [Range(64 * 1024, 16L << 30)]
    public long SegmentSize { get; init; } = 64L << 20;

    /// <summary>Bytes that writers can gather in one record; larger messages get a record of their own. Default 1 MiB.</summary>
    [Range(4096, 64 << 20)]
    public int PageSize { get; init; } = 1 << 20;

    /// <summary>Pages that may be filled or wait for the disk before writers wait. Default 4.</summary>
    [Range(2, 64)]
    public int PageCount { get; init; } = 4;

    /// <summary>
    /// Largest body of a record that is written, in bytes; what stands in the log is read, whatever its size. Default 1 GiB.
    /// </summary>
    [Range(4096, RecordHeader.LargestBody)]
    public int MaxRecordSize { get; init; } = 1 << 30;

    /// <summary>
    /// Bytes of zeros written ahead of a young segment's end, because overwriting is twice as fast as growing. Default 8 MiB; 0 turns it
    /// off.
    /// </summary>
    [Range(0, 1 << 30)]
    public int ZeroAhead { get; init; } = 8 << 20;

    /// <summary>Used segments kept to be written again, and prepared ahead of need. Default 2.</summary>
    [Range(0, 64)]
    public int SpareSegments { get; init; } = 2;

    /// <summary>What is kept of the past. Default: two checkpoints and the log since the older.</summary>
    public RetentionPolicy Retention { get; init; } = RetentionPolicy.Checkpoints(2);

    /// <summary>Bytes of log by which a registered reader may hold up deletion. Default 1 GiB.</summary>
    [Range(0, long.MaxValue)]
    public long MaxReaderLag { get; init; } = 1L << 30;

    /// <summary>Bytes of a checkpoint's block, the unit of its checksums. Default 256 KiB.</summary>
    [Range(4096, 16 << 20)]
    public int CheckpointBlockSize { get; init; } = 256 * 1024;

    /// <summary>Allows a store on a network file system, whose locks and syncs may not hold what they promise. Default false.</summary>
    public bool AllowNetworkFileSystem { get; init; }

    /// <summary>Number of this replica among several that share the log; null (the default) when it is the only one.</summary>
    public int? Replica { get; init; }

    /// <summary>
    /// Time after which a store that is a service gives the right to append to another, if its holder does not renew it meanwhile. Default
    /// 15 s; from 2 s to 60 s. Files need none: the kernel knows whether the holder lives.
    /// </summary>
    public TimeSpan LeaseDuration { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>Throws with one sentence when a value is out of its range.</summary>
    public LogStoreOptions Validate()
    {
        Require(SegmentSize, 64 * 1024, 16L << 30, nameof(SegmentSize));
        Require(PageSize, 4096, 64 << 20, nameof(PageSize));
        Require(PageCount, 2, 64, nameof(PageCount));
        Require(MaxRecordSize, PageSize, RecordHeader.LargestBody, nameof(MaxRecordSize));
        Require(ZeroAhead, 0, 1 << 30, nameof(ZeroAhead));
        Require(SpareSegments, 0, 64, nameof(SpareSegments));
        Require(MaxReaderLag, 0, long.MaxValue, nameof(MaxReaderLag));
        Require(CheckpointBlockSize, 4096, 16 << 20, nameof(CheckpointBlockSize));
        Require((long)LeaseDuration.TotalMilliseconds, 2000, 60_000, nameof(LeaseDuration) + " in milliseconds");
        Require(System.Text.Encoding.UTF8.GetByteCount(Cluster), 0, 63, nameof(Cluster) + " length");
        return this;
    }

    private static void Require(long value, long least, long most, string name)
    {
        if (value < least || value > most)
        {
            throw new ArgumentOutOfRangeException(name, $"{name} is {value}; allowed are {least} to {most}.");
        }
    }
}
