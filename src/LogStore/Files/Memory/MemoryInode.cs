namespace Ambrosia.LogStore.Files.Memory;

/// <summary>A file's content as processes see it, as the platter has it, and the operations between the two in their order.</summary>
internal sealed class MemoryInode(ulong id, bool keepsPlatter = true)
{
    /// <summary>A file whose content is on the platter.</summary>
    public MemoryInode(ulong id, SparseBytes content)
        : this(id) => (Content, _durable) = (content, content.Clone());

    private const int Sector = 512;
    private const int Block = 4096;
    private readonly List<(long Offset, byte[]? Bytes)> _unsynced = []; // Null bytes: truncation to the offset.
    private SparseBytes _durable = new();

    public ulong Id { get; } = id;

    /// <summary>What reads return.</summary>
    public SparseBytes Content { get; private set; } = new();

    /// <summary>What is on the platter.</summary>
    public SparseBytes Durable => _durable;

    /// <summary>Writes (null bytes: truncations to the offset) that are not on the platter, in their order.</summary>
    public IReadOnlyList<(long Offset, byte[]? Bytes)> Unsynced => _unsynced;

    /// <summary>The open file that holds the lock.</summary>
    public MemoryFile? LockHolder { get; set; }

    /// <summary>Open files that share the lock.</summary>
    public HashSet<MemoryFile> LockSharers { get; } = [];

    /// <summary>Open files that wait for the lock; all are woken, the first to ask again gets it.</summary>
    public LinkedList<TaskCompletionSource> LockWaiters { get; } = new();

    public void Write(ReadOnlySpan<byte> source, long offset)
    {
        Content.Write(source, offset);
        if (keepsPlatter)
        {
            _unsynced.Add((offset, source.ToArray()));
        }
    }

    public void Truncate(long length)
    {
        Content.Truncate(length);
        if (keepsPlatter)
        {
            _unsynced.Add((length, null));
        }
    }

    public void Sync()
    {
        foreach ((long offset, byte[]? bytes) in _unsynced)
        {
            Apply(offset, bytes);
        }

        _unsynced.Clear();
    }

    /// <summary>
    /// Power cut: of the unsynced operations any part may have reached the platter, torn at sectors or blocks, in any order.
    /// </summary>
    public void Crash(Random random)
    {
        foreach ((long offset, byte[]? bytes) in _unsynced)
        {
            if (bytes is null)
            {
                if (random.Next(2) == 0)
                {
                    _durable.Truncate(offset);
                }
            }
            else
            {
                KeepSome(offset, bytes, random);
            }
        }

        _unsynced.Clear();
        Content = _durable;
        _durable = Content.Clone();
        LockHolder = null;
        LockSharers.Clear();
        LockWaiters.Clear();
    }

    /// <summary>The same content, synced and unlocked.</summary>
    public MemoryInode Clone() => new(Id, keepsPlatter) { Content = Content.Clone(), _durable = Content.Clone() };

    private void KeepSome(long offset, byte[] bytes, Random random)
    {
        int fate = random.Next(4);
        int unit = random.Next(2) == 0 ? Sector : Block;
        for (int start = 0; start < bytes.Length;)
        {
            // Pieces end where the device's sectors end, not where the write began.
            int end = (int)Math.Min(bytes.Length, ((offset + start) / unit + 1) * unit - offset);
            bool keep = fate == 0 || (fate > 1 && random.Next(2) == 0);
            if (keep)
            {
                _durable.Write(bytes.AsSpan(start, end - start), offset + start);
            }

            start = end;
        }
    }

    private void Apply(long offset, byte[]? bytes)
    {
        if (bytes is null)
        {
            _durable.Truncate(offset);
        }
        else
        {
            _durable.Write(bytes, offset);
        }
    }
}
