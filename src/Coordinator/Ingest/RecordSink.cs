using System.Collections.Concurrent;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore.Append;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// What the log calls back: it writes the trailer of each record where the record is made, and passes durable records on to the
/// core's context, in LSN order. One post serves all records that became durable before the core gets to run.
/// </summary>
/// <param name="context">The core's.</param>
/// <param name="pending">What is to be logged with the next record.</param>
/// <param name="guard">Does what was posted, and says whether it was done; what fails ends the instance.</param>
/// <param name="onDurable">Gets each durable record, and disposes it.</param>
internal sealed class RecordSink(
    SynchronizationContext context, PendingMarks pending, Func<Action, bool> guard, Action<CachedRecord> onDurable) : IRecordSink
{
    private readonly ConcurrentQueue<CachedRecord> _durable = new();
    private readonly ConcurrentQueue<PageMarks> _free = new();
    private int _posted;
    private bool _failed;

    public object CreatePageContext() => new PageContext { Marks = NextMarks() };

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
        // The page's context is used again when this returns, but the marks are read until the app has the record: it gets other ones.
        var page = (PageContext)record.PageContext;
        PageMarks marks = page.Marks;
        page.Marks = NextMarks();
        _durable.Enqueue(new CachedRecord(record, marks));
        if (Interlocked.Exchange(ref _posted, 1) == 0)
        {
            context.Post(static state => ((RecordSink)state!).Run(), this);
        }
    }

    private PageMarks NextMarks() => _free.TryDequeue(out PageMarks? returned) ? returned : new PageMarks(_free.Enqueue);

    // After a record that could not be taken none is: the state would lack it.
    private void Run() => _failed = _failed || !guard(Drain);

    private void Drain()
    {
        // Cleared before the queue is read: a record enqueued from here on posts again.
        Interlocked.Exchange(ref _posted, 0);
        while (_durable.TryDequeue(out CachedRecord next))
        {
            onDurable(next);
        }
    }
}
