using System.Buffers;

namespace Ambrosia.ImmortalCoordinator.State;

/// <summary>
/// A block of message bytes shared by output entries. Counted references keep it alive while an entry lists it or a sender
/// writes from it. All on the core's context, so the counts are plain. A sealed chunk may live in the scratch file instead of memory.
/// </summary>
internal sealed class Chunk
{
    /// <summary>Bytes of an ordinary chunk; a larger message gets a chunk of its own.</summary>
    public const int DefaultSize = 256 * 1024;

    private const int SmallestSize = 4096;

    /// <summary>Bytes of a chunk where no more than <paramref name="memoryLimit"/> may stay in memory: four of them fit, so that the limit means something also when it is small.</summary>
    public static int SizeFor(long memoryLimit) => (int)Math.Clamp(memoryLimit / 4, SmallestSize, DefaultSize);

    private readonly OutputMemory _memory;
    private byte[]? _bytes;
    private int _references = 1;
    private int _pins;
    private SpillSegment? _spill;
    private long _spillOffset;

    public Chunk(OutputMemory memory, int size)
    {
        _memory = memory;
        _bytes = ArrayPool<byte>.Shared.Rent(size);
        Capacity = size;
        memory.Add(_bytes.Length);
    }

    public int Capacity { get; }

    public int Used { get; private set; }

    public int Free => Capacity - Used;

    public bool InMemory => _bytes is not null;

    /// <summary>Copies bytes behind those already there and returns where they start.</summary>
    public int Append(in ReadOnlySequence<byte> source, int length)
    {
        int offset = Used;
        source.CopyTo(_bytes.AsSpan(offset, length));
        Used += length;
        return offset;
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

    /// <summary>Bytes of an entry; reads them back from the scratch file if they were moved there. Release with <see cref="Unpin"/>.</summary>
    public async ValueTask<ReadOnlyMemory<byte>> PinAsync(int offset, int length)
    {
        AddReference();
        _pins++;
        if (_bytes is not null)
        {
            return _bytes.AsMemory(offset, length);
        }

        byte[] copy = new byte[length];
        await _spill!.ReadAsync(copy, _spillOffset + offset);
        return copy;
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
            _memory.Remove(_bytes.Length);
            ArrayPool<byte>.Shared.Return(_bytes);
            _bytes = null;
        }
    }
}
