namespace Ambrosia.LogStore.Append;

/// <summary>
/// Memory of one page. The log holds it until the record is durable, the delivery as long as it needs it; then it is used again.
/// </summary>
internal sealed class PageBuffer(PageBufferPool pool, int size)
{
    private byte[] _bytes = GC.AllocateUninitializedArray<byte>(size);
    private int _references;

    /// <summary>The bytes: header, payload, trailer, padding.</summary>
    public byte[] Bytes => _bytes;

    /// <summary>Checksums of pieces that were known when they were put here.</summary>
    public KnownChecksums Known { get; } = new();

    /// <summary>First reference of a new use.</summary>
    public PageBuffer Rent()
    {
        Known.Clear();
        Volatile.Write(ref _references, 1);
        return this;
    }

    /// <summary>Another holder.</summary>
    public void AddReference() => Interlocked.Increment(ref _references);

    /// <summary>A holder is done; the last one gives the memory back.</summary>
    public void Release()
    {
        int left = Interlocked.Decrement(ref _references);
        if (left == 0)
        {
            pool.Return(this);
        }
        else if (left < 0)
        {
            throw new InvalidOperationException("A log record was released more often than it was held.");
        }
    }

    /// <summary>Makes room at the end, for a trailer that is larger than what was kept for it.</summary>
    public void EnsureSize(int size, int used)
    {
        if (_bytes.Length < size)
        {
            byte[] larger = GC.AllocateUninitializedArray<byte>(size);
            _bytes.AsSpan(0, used).CopyTo(larger);
            _bytes = larger;
        }
    }
}
