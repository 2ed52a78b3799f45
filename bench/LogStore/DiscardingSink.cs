using Ambrosia.LogStore.Append;

namespace Ambrosia.LogStore.Bench;

/// <summary>Adds nothing and counts the payload bytes that became durable.</summary>
internal sealed class DiscardingSink : IRecordSink
{
    private long _bytes;

    /// <summary>Payload bytes on the device.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    public object CreatePageContext() => this;

    public int MaxTrailerSize(object pageContext) => 0;

    public int WriteTrailer(object pageContext, ReadOnlySpan<byte> payload, Span<byte> destination, ref RecordDraft draft) => 0;

    public void OnDurable(DurableRecord record)
    {
        Volatile.Write(ref _bytes, _bytes + record.PayloadSize);
        record.Dispose();
    }
}
