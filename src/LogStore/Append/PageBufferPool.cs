using System.Collections.Concurrent;

namespace Ambrosia.LogStore.Append;

/// <summary>Buffers of page size that wait for their next use.</summary>
internal sealed class PageBufferPool(int bufferSize, int kept)
{
    private readonly ConcurrentQueue<PageBuffer> _free = new();

    /// <summary>A buffer of at least this size.</summary>
    public PageBuffer Rent(int size) =>
        (size <= bufferSize && _free.TryDequeue(out PageBuffer? buffer) ? buffer : new PageBuffer(this, Math.Max(size, bufferSize))).Rent();

    /// <summary>Keeps the buffer unless it is oversized or there are enough.</summary>
    public void Return(PageBuffer buffer)
    {
        // The count may be passed by a buffer or two under contention; it bounds memory, it need not be exact.
        if (buffer.Bytes.Length <= 2 * bufferSize && _free.Count < kept)
        {
            _free.Enqueue(buffer);
        }
    }
}
