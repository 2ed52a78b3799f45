using System.Globalization;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Format;

namespace Ambrosia.LogStore.Azure;

/// <summary>Names of one instance's blobs in the container, docs/internals/log-format.md.</summary>
/// <param name="Instance">The instance; what it is called cannot hold a slash.</param>
internal readonly record struct BlobNames(string Instance)
{
    private const string SegmentEnd = ".seg";
    private const int NumberDigits = 10;
    private const int LsnDigits = 20;

    /// <summary>The holder of the lease of this one may append.</summary>
    public string Lock => $"{Instance}/lock";

    /// <summary>A lock beside the log.</summary>
    public string NamedLease(string name) => $"{Instance}/locks/{name}";

    /// <summary>Before all segments.</summary>
    public string Segments => $"{Instance}/log/";

    /// <summary>Before all checkpoints.</summary>
    public string Checkpoints => $"{Instance}/checkpoints/";

    /// <summary>A segment.</summary>
    public string Segment(ulong number) => $"{Segments}{number.ToString("D10", CultureInfo.InvariantCulture)}{SegmentEnd}";

    /// <summary>Before all checkpoints of a position: each attempt at one has a blob of its own.</summary>
    public string CheckpointsAt(Lsn lsn) => $"{Checkpoints}{lsn.Value.ToString("D20", CultureInfo.InvariantCulture)}.";

    /// <summary>One attempt at a checkpoint.</summary>
    public string Checkpoint(Lsn lsn, string attempt) => $"{CheckpointsAt(lsn)}{attempt}.ckpt";

    /// <summary>Bytes that were cut from a segment, for people.</summary>
    public string Tail(ulong number) => $"{Instance}/kept/{number.ToString("D10", CultureInfo.InvariantCulture)}.broken";

    /// <summary>A copy of the manifest.</summary>
    public string Manifest(int copy) => $"{Instance}/manifest.{copy.ToString(CultureInfo.InvariantCulture)}";

    /// <summary>Before the contracts of all instances, so that one request lists them. No instance begins with a dot.</summary>
    public static string AllContracts => ".contracts/";

    /// <summary>Before this instance's contracts.</summary>
    public string Contracts => $"{AllContracts}{Instance}/";

    /// <summary>A contract that an app has told, named by its content.</summary>
    public string Contract(ReadOnlySpan<byte> text) => Contracts + StoreNames.Contract(text);

    /// <summary>The number of a segment; null for a name that is none.</summary>
    public ulong? SegmentOf(string name) =>
        name.EndsWith(SegmentEnd, StringComparison.Ordinal) && name.Length == Segments.Length + NumberDigits + SegmentEnd.Length
        ? Number(name.AsSpan(Segments.Length, NumberDigits)) : null;

    /// <summary>The position of a checkpoint; null for a name that is none.</summary>
    public Lsn? CheckpointOf(string name) =>
        name.Length > Checkpoints.Length + LsnDigits && Number(name.AsSpan(Checkpoints.Length, LsnDigits)) is { } lsn ? new Lsn(lsn) : null;

    private static ulong? Number(ReadOnlySpan<char> digits) =>
        ulong.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out ulong number) ? number : null;
}
