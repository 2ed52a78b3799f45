using Ambrosia.LogStore.Format;

namespace Ambrosia.LogStore.Append;

/// <summary>
/// Checksums of pieces of a page that their writers knew: what was checked on its way in need not be read again for the record's checksum.
/// Added to by any thread before it publishes, read by the committer once all have.
/// </summary>
internal sealed class KnownChecksums
{
    private readonly (int Start, int Length, uint Checksum)[] _pieces = new (int, int, uint)[32];
    private int _count;

    /// <summary>Forgets all of them.</summary>
    public void Clear() => Volatile.Write(ref _count, 0);

    /// <summary>Notes a piece; where there is no room it is read like everything else.</summary>
    public void Add(int start, int length, uint checksum)
    {
        int index = Interlocked.Increment(ref _count) - 1;
        if (index < _pieces.Length)
        {
            _pieces[index] = (start, length, checksum);
        }
    }

    /// <summary>Checksum of the bytes from <paramref name="start"/> to <paramref name="end"/>, within which all pieces lie.</summary>
    public uint Compute(ReadOnlySpan<byte> bytes, int start, int end)
    {
        Span<(int Start, int Length, uint Checksum)> pieces = _pieces.AsSpan(0, Math.Min(Volatile.Read(ref _count), _pieces.Length));
        pieces.Sort(static (a, b) => a.Start.CompareTo(b.Start));
        uint checksum = 0; // Of no bytes.
        foreach ((int pieceStart, int length, uint known) in pieces)
        {
            checksum = Crc32C.Join(Crc32C.Continue(checksum, bytes[start..pieceStart]), known, length);
            start = pieceStart + length;
        }

        return Crc32C.Continue(checksum, bytes[start..end]);
    }
}
