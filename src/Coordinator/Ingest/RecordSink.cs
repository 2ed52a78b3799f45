using System.Collections.Concurrent;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore.Append;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// What the log calls back: it writes the trailer of each record where the record is made, and passes durable records on to the
/// core's context, in LSN order. One post serves all records that became durable before the core gets to run.
/// </summary>
internal sealed class RecordSink(SynchronizationContext context, PendingMarks pending, Action<DurableRecord, PageMarks> onDurable) : IRecordSink
{
    private readonly ConcurrentQueue<(DurableRecord Record, PageMarks Marks)> _durable = new();
    private readonly ConcurrentQueue<PageMarks> _free = new();
    private int _posted;

    public object CreatePageContext() => new PageContext();

    public int MaxTrailerSize(object pageContext)
    {
        PageMarks marks = ((PageContext)pageContext).Marks;
        pending.MoveTo(marks);
        return RecordTrailer.MaxSize(marks);
    }

    public int WriteTrailer(object pageContext, ReadOnlySpan<byte> payload, Span<byte> destination, ref RecordDraft draft) =>
        RecordTrailer.Write(((PageContext)pageContext).Marks, destination, draft.Lsn, draft.Epoch);

    public void OnDurable(DurableRecord record)
    {
        // The page's context is used again when this returns, but the core reads the marks later: it gets other ones.
        var page = (PageContext)record.PageContext;
        PageMarks marks = page.Marks;
        page.Marks = _free.TryDequeue(out PageMarks? cleared) ? cleared : new PageMarks();
        _durable.Enqueue((record, marks));
        if (Interlocked.Exchange(ref _posted, 1) == 0)
        {
            context.Post(static state => ((RecordSink)state!).Drain(), this);
        }
    }

    private void Drain()
    {
        // Cleared before the queue is read: a record enqueued from here on posts again.
        Interlocked.Exchange(ref _posted, 0);
        while (_durable.TryDequeue(out (DurableRecord Record, PageMarks Marks) next))
        {
            onDurable(next.Record, next.Marks);
            next.Marks.Clear();
            _free.Enqueue(next.Marks);
        }
    }
}
