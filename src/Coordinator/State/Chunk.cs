using System.Buffers;

namespace Ambrosia.Coordinator.State;

/// <summary>
/// A block of message bytes shared by output entries. Counted references keep it alive while an entry lists it or a sender
/// writes from it. All on the core's context, so the counts are plain. A sealed chunk may live in the scratch file instead of memory.
/// </summary>
internal sealed class Chunk
{
    /// <summary>Bytes of an ordinary chunk; a larger message gets a chunk of its own.</summary>
    public const int LargestSize = 256 * 1024;

    /// <summary>Bytes of the first chunk of a destination to which nothing was waiting.</summary>
    public const int SmallestSize = 4096;

    private OutputShare _share;
    private byte[]? _bytes;
    private int _references = 1;
    private int _pins;
    private SpillSegment? _spill;
    private bool _spilling;
    private long _spillOffset;

    public Chunk(OutputShare share, int size)
    {
        _share = share;
        _bytes = ArrayPool<byte>.Shared.Rent(size);
        Capacity = size;
        share.Add(_bytes.Length);
    }

    public int Capacity { get; }

    public int Used { get; private set; }

    public int Free => Capacity - Used;

    /// <summary>In memory, and not on its way to the scratch file.</summary>
    public bool CanSpill => _bytes is not null && _spill is null && !_spilling;

    /// <summary>Copies bytes behind those already there and returns where they start.</summary>
    public int Append(in ReadOnlySequence<byte> source, int length)
    {
        int offset = Used;
        source.CopyTo(_bytes.AsSpan(offset, length));
        Used += length;
        return offset;
    }

    /// <summary>Makes it as new; false when somebody still needs what is in it, or it is too large to be kept.</summary>
    public bool TryEmpty()
    {
        if (_references > 1 || _bytes is null || _spill is not null || _spilling || Capacity > SmallestSize)
        {
            return false;
        }

        Used = 0;
        return true;
    }

    /// <summary>From here on its bytes are another one's.</summary>
    public void BelongTo(OutputShare share)
    {
        _share.Add(-_bytes!.Length);
        _share = share;
        _share.Add(_bytes.Length);
    }

    public void AddReference() => _references++;

    public void Release()
    {
        if (--_references == 0)
        {
            FreeMemory();
            _spill?.Release(Used);
            _spill = null;
        }
    }

    /// <summary>
    /// Bytes of an entry; reads them back from the scratch file if they were moved there. Release with <see cref="Unpin"/>.
    /// </summary>
    public async ValueTask<ReadOnlyMemory<byte>> PinAsync(int offset, int length)
    {
        AddReference();
        _pins++;
        if (_bytes is not null)
        {
            return _bytes.AsMemory(offset, length);
        }

        byte[] copy = new byte[length];
        bool isRead = false;
        try
        {
            await _spill!.ReadAsync(copy, _spillOffset + offset);
            isRead = true;
            return copy;
        }
        finally
        {
            if (!isRead)
            {
                Unpin(); // The caller has nothing to release: the chunk must not stay for ever.
            }
        }
    }

    public void Unpin()
    {
        _pins--;
        if (_pins == 0 && _spill is not null)
        {
            FreeMemory();
        }

        Release();
    }

    /// <summary>Moves the sealed chunk to the scratch file. Its memory is freed once nobody reads from it.</summary>
    public async ValueTask SpillAsync(SpillFile file)
    {
        AddReference();
        _spilling = true;
        (SpillSegment segment, long offset) = await file.WriteAsync(_bytes.AsMemory(0, Used));
        _spill = segment;
        _spillOffset = offset;
        if (_pins == 0)
        {
            FreeMemory();
        }

        Release();
    }

    private void FreeMemory()
    {
        if (_bytes is not null)
        {
            _share.Add(-_bytes.Length);
            ArrayPool<byte>.Shared.Return(_bytes);
            _bytes = null;
        }
    }
}
