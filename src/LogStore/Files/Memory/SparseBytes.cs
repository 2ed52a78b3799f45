namespace Ambrosia.LogStore.Files.Memory;

/// <summary>Bytes of a file in chunks; a chunk that only ever held zeros takes no memory.</summary>
internal sealed class SparseBytes
{
    private const int ChunkSize = 64 * 1024;
    private readonly List<byte[]?> _chunks = [];

    /// <summary>Length of the file.</summary>
    public long Length { get; private set; }

    public int Read(Span<byte> destination, long offset)
    {
        int total = (int)Math.Clamp(Length - offset, 0, destination.Length);
        for (int done = 0; done < total;)
        {
            (int index, int start) = Locate(offset + done);
            int count = Math.Min(total - done, ChunkSize - start);
            Span<byte> target = destination.Slice(done, count);
            if (index < _chunks.Count && _chunks[index] is { } chunk)
            {
                chunk.AsSpan(start, count).CopyTo(target);
            }
            else
            {
                target.Clear();
            }

            done += count;
        }

        return total;
    }

    public void Write(ReadOnlySpan<byte> source, long offset)
    {
        for (int done = 0; done < source.Length;)
        {
            (int index, int start) = Locate(offset + done);
            int count = Math.Min(source.Length - done, ChunkSize - start);
            WriteChunk(index, start, source.Slice(done, count));
            done += count;
        }

        Length = Math.Max(Length, offset + source.Length);
    }

    public void Truncate(long length)
    {
        if (length < Length)
        {
            (int index, int start) = Locate(length);
            if (index < _chunks.Count)
            {
                _chunks[index]?.AsSpan(start).Clear();
                _chunks.RemoveRange(index + 1, _chunks.Count - index - 1);
            }
        }

        Length = length;
    }

    public SparseBytes Clone()
    {
        var copy = new SparseBytes { Length = Length };
        copy._chunks.AddRange(_chunks.Select(static chunk => (byte[]?)chunk?.Clone()));
        return copy;
    }

    private static (int Index, int Start) Locate(long offset) => ((int)(offset / ChunkSize), (int)(offset % ChunkSize));

    private void WriteChunk(int index, int start, ReadOnlySpan<byte> source)
    {
        while (_chunks.Count <= index)
        {
            _chunks.Add(null);
        }

        if (_chunks[index] is null && source.IndexOfAnyExcept((byte)0) < 0)
        {
            return;
        }

        source.CopyTo((_chunks[index] ??= new byte[ChunkSize]).AsSpan(start));
    }
}
