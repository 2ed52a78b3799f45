using System.Buffers.Binary;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Format;

namespace Ambrosia.LogStore.Tests.Support;

/// <summary>Remembers what became durable, and writes the page's message count as trailer.</summary>
public sealed class CollectingSink : IRecordSink
{
    private readonly List<(RecordHeader Header, byte[] Payload, byte[] Trailer)> _durable = [];

    public IReadOnlyList<(RecordHeader Header, byte[] Payload, byte[] Trailer)> Durable
    {
        get
        {
            lock (_durable)
            {
                return [.. _durable];
            }
        }
    }

    /// <summary>Called after a record was noted.</summary>
    public Action<DurableRecord>? Observed { get; set; }

    /// <summary>Extra trailer bytes behind the count.</summary>
    public int TrailerPadding { get; set; }

    public object CreatePageContext() => new Counter();

    public int MaxTrailerSize(object pageContext) => sizeof(int) + TrailerPadding;

    public int WriteTrailer(object pageContext, ReadOnlySpan<byte> payload, Span<byte> destination, ref RecordDraft draft)
    {
        draft.Kind = 7;
        draft.Flags = (byte)(payload.IsEmpty ? 1 : 0);
        BinaryPrimitives.WriteInt32LittleEndian(destination, ((Counter)pageContext).Count);
        destination.Slice(sizeof(int), TrailerPadding).Fill(0xEE);
        return sizeof(int) + TrailerPadding;
    }

    public void OnDurable(DurableRecord record)
    {
        ((Counter)record.PageContext).Count = 0;
        lock (_durable)
        {
            _durable.Add((record.Header, record.Payload.ToArray(), record.Body[record.PayloadSize..].ToArray()));
        }

        Observed?.Invoke(record);
        record.Dispose();
    }

    public static void Count(object pageContext) => Interlocked.Increment(ref ((Counter)pageContext).Count);

    private sealed class Counter
    {
        public int Count;
    }
}
