namespace Ambrosia.LogStore.Append;

/// <summary>
/// The user of the log, at the two moments of a record's life: before it is written and once it is durable. All calls come in LSN order,
/// one at a time, from the log's own loop or out of <see cref="LogAppender.Commit"/>.
/// </summary>
public interface IRecordSink
{
    /// <summary>
    /// Makes an object that writers of a page use to note what recovery needs beside the payload. One per page, used again for its later
    /// records.
    /// </summary>
    object CreatePageContext();

    /// <summary>Upper bound of the bytes that <see cref="WriteTrailer"/> will write for this page.</summary>
    int MaxTrailerSize(object pageContext);

    /// <summary>
    /// Called once per record after all writers have published. Writes what follows the payload in the record's body and returns its size;
    /// may set the record's kind and flags. A pure computation: it must neither block nor fail.
    /// </summary>
    int WriteTrailer(object pageContext, ReadOnlySpan<byte> payload, Span<byte> destination, ref RecordDraft draft);

    /// <summary>
    /// The record is durable: the only permission to deliver, acknowledge and trim. The sink owns the record and disposes it when done.
    /// The page's context is used for another record after this call returns, so the sink resets it here.
    /// </summary>
    void OnDurable(DurableRecord record);
}
