using Ambrosia.LogStore.Errors;

namespace Ambrosia.LogStore.Read;

/// <summary>Words for a durable record that cannot be read.</summary>
internal static class LogDamage
{
    /// <summary>The error for the record at the cursor.</summary>
    public static async ValueTask<LogCorruptException> DescribeAsync(SegmentCursor cursor)
    {
        string safe = $"records up to LSN {cursor.NextLsn.Previous} are safe, LSN {cursor.NextLsn} and later cannot be read";
        const string advice = "restore the file from a copy; nothing was cut or changed";
        return await cursor.File.GetLengthAsync() <= cursor.Offset
            ? new LogCorruptException(StoreErrors.SegmentTooShort, $"segment {cursor.Segment.Number} ends too early", cursor.FileName,
                cursor.Offset, cursor.NextLsn, safe, advice)
            : new LogCorruptException(StoreErrors.LogCorrupt, $"log corrupt in segment {cursor.Segment.Number}", cursor.FileName,
                cursor.Offset, cursor.NextLsn, safe, advice);
    }
}
