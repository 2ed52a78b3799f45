namespace Ambrosia.Coordinator.State;

/// <summary>
/// Bytes of memory that the outputs to all destinations of an instance hold together, against one limit. Beyond it, what lies in memory
/// moves to scratch files: of the destination that holds the most, its newest first, since that is sent last. Single-threaded by the
/// core's context.
/// </summary>
internal sealed class OutputMemory
{
    /// <summary>
    /// Small chunks that are kept for the next sender, so that a message and its answer cost no allocation. All that empty buffers keep.
    /// </summary>
    public const int MostSpares = 16;

    private readonly List<OutputBuffer> _buffers = [];
    private readonly Stack<Chunk> _spares = new(MostSpares);
    private readonly OutputShare _spareBytes;
    private Task _makingRoom = Task.CompletedTask;

    public OutputMemory(long limit)
    {
        Limit = limit;
        LargestChunk = (int)Math.Clamp(limit / 4, Chunk.SmallestSize, Chunk.LargestSize);
        _spareBytes = new OutputShare(this);
    }

    public long Limit { get; }

    public long Bytes { get; private set; }

    /// <summary>Bytes of an ordinary chunk at most: four of them fit, so that the limit means something also when it is small.</summary>
    public int LargestChunk { get; }

    public bool IsExceeded => Bytes > Limit;

    public void Join(OutputBuffer buffer) => _buffers.Add(buffer);

    public void Leave(OutputBuffer buffer) => _buffers.Remove(buffer);

    public void Add(long bytes) => Bytes += bytes;

    /// <summary>A chunk with room for so many bytes, of the size that its buffer has grown to.</summary>
    public Chunk Take(OutputShare share, int length, int size)
    {
        if (Math.Max(length, size) <= Chunk.SmallestSize && _spares.TryPop(out Chunk? spare))
        {
            spare.BelongTo(share);
            return spare;
        }

        return new Chunk(share, Math.Max(length, size));
    }

    /// <summary>Takes back a chunk that its buffer has emptied.</summary>
    public void Return(Chunk chunk)
    {
        if (_spares.Count < MostSpares && chunk.TryEmpty())
        {
            chunk.BelongTo(_spareBytes);
            _spares.Push(chunk);
        }
        else
        {
            chunk.Release();
        }
    }

    /// <summary>
    /// Completes when the limit is kept, as far as scratch files can help. What <paramref name="filling"/> is just filling stays.
    /// </summary>
    public ValueTask MakeRoomAsync(OutputBuffer filling)
    {
        if (!IsExceeded)
        {
            return default;
        }

        // One at a time: scratch files have one writer, and nobody moves what another is moving.
        if (_makingRoom.IsCompleted)
        {
            _makingRoom = MoveAsync(filling);
        }

        return new ValueTask(_makingRoom);
    }

    private async Task MoveAsync(OutputBuffer filling)
    {
        while (IsExceeded && Largest(filling) is { } largest)
        {
            await largest.SpillNewestAsync();
        }
    }

    private OutputBuffer? Largest(OutputBuffer filling)
    {
        OutputBuffer? largest = null;
        foreach (OutputBuffer buffer in _buffers)
        {
            if (buffer.MemoryBytes > (largest?.MemoryBytes ?? 0) && buffer.CanSpill(keepsNewest: buffer == filling))
            {
                largest = buffer;
            }
        }

        return largest;
    }
}
