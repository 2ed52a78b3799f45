using System.Globalization;
using System.Security.Cryptography;

namespace Ambrosia.LogStore.Format;

/// <summary>Names of a log's files: sortable, and parsed strictly so that a stray file is never taken for one of ours.</summary>
public static class StoreNames
{
    public const string SegmentSuffix = ".seg";
    public const string SpareSuffix = ".free";
    public const string BrokenSuffix = ".broken";
    public const string CheckpointSuffix = ".ckpt";
    public const string TemporarySuffix = ".tmp";

    /// <summary>Folder of the contracts that apps have told, beside the log.</summary>
    public const string Contracts = "contracts";

    public static string Contract(ReadOnlySpan<byte> text) => Convert.ToHexString(SHA256.HashData(text)).ToLowerInvariant()[..32] + ".txt";

    public static string Segment(ulong number) => string.Create(CultureInfo.InvariantCulture, $"{number:d10}{SegmentSuffix}");

    public static string Spare(ulong number) => string.Create(CultureInfo.InvariantCulture, $"{number:d10}{SpareSuffix}");

    public static string Checkpoint(Lsn lsn) => string.Create(CultureInfo.InvariantCulture, $"{lsn.Value:d20}{CheckpointSuffix}");

    public static bool TryParseSegment(string name, out ulong number) =>
        TryParse(name, SegmentSuffix, out number) && Segment(number) == name;

    public static bool TryParseSpare(string name, out ulong number) => TryParse(name, SpareSuffix, out number) && Spare(number) == name;

    public static bool TryParseCheckpoint(string name, out Lsn lsn)
    {
        bool parsed = TryParse(name, CheckpointSuffix, out ulong value);
        lsn = new Lsn(value);
        return parsed && Checkpoint(lsn) == name;
    }

    // One number, one name: what has another form, such as a zero too many, is somebody's copy. Taken for the original, it would make two
    // segments of one.
    private static bool TryParse(string name, string suffix, out ulong number)
    {
        number = 0;
        return name.EndsWith(suffix, StringComparison.Ordinal)
            && ulong.TryParse(name.AsSpan(0, name.Length - suffix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out number);
    }
}
