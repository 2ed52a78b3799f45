using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore.Append;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>A durable record of this process, still in the page it was written from, with what it says beside its messages.</summary>
internal readonly struct CachedRecord(DurableRecord record, PageMarks marks) : IDisposable
{
    public DurableRecord Record => record;

    /// <summary>Valid until this is disposed: they are used again for another record.</summary>
    public RecordMarks Marks => marks;

    /// <summary>Gives page and marks back.</summary>
    public void Dispose()
    {
        record.Dispose();
        marks.Return();
    }
}
