namespace Ambrosia.LogStore.Errors;

/// <summary>Bytes that were durable are damaged or missing. Nothing is cut, skipped or overwritten.</summary>
public sealed class LogCorruptException(ErrorCode error, string what, string file, long offset, Lsn lsn, string safe, string advice)
    : LogStoreException(error, what, $"{file} offset 0x{offset:x} LSN {lsn}", safe, advice)
{
    /// <summary>The damaged file.</summary>
    public string File { get; } = file;

    /// <summary>Byte offset in the file of the record, block or header that is damaged.</summary>
    public long Offset { get; } = offset;

    /// <summary>The first record that cannot be read.</summary>
    public Lsn Lsn { get; } = lsn;
}
