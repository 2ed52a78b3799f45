namespace Ambrosia.Simulation.Tests;

/// <summary>A file that a service keeps.</summary>
/// <param name="kind">What it is kept as.</param>
/// <param name="number">Number of a segment, position of a checkpoint.</param>
/// <param name="owner">What else tells it from others: the lock that an unfinished checkpoint lies under, or the attempt that a blob is
/// named after.</param>
/// <param name="token">The acquisition that may change it.</param>
internal sealed class ServiceFile(ServiceFileKind kind, ulong number, string owner, long token)
{
    private byte[] _bytes = new byte[4096];

    public ServiceFileKind Kind { get; set; } = kind;

    public ulong Number => number;

    public string Owner { get; set; } = owner;

    /// <summary>Which acquisition of a lease may change it; zero: none.</summary>
    public long Token { get; set; } = token;

    /// <summary>It was removed: nobody finds it, and who had found it before finds nothing in it.</summary>
    public bool IsGone { get; set; }

    public int Length { get; private set; }

    public bool Begins(ReadOnlyMemory<byte> beginning) =>
        Length >= beginning.Length && _bytes.AsSpan(0, beginning.Length).SequenceEqual(beginning.Span);

    public byte[] Read(long offset, int count) =>
        IsGone || offset >= Length ? [] : _bytes.AsSpan((int)offset, (int)Math.Min(count, Length - offset)).ToArray();

    /// <summary>Where the file would end; null if another has the lease. Nothing is done unless it ends at the offset: so the same append
    /// may come twice.</summary>
    public long? Append(long token, ReadOnlyMemory<byte> bytes, long offset)
    {
        if (IsGone || token != Token)
        {
            return null;
        }

        if (offset == Length)
        {
            Put(bytes);
        }

        return Length;
    }

    /// <summary>Bytes at the end, whatever leases are held.</summary>
    public void Put(ReadOnlyMemory<byte> bytes)
    {
        if (Length + bytes.Length > _bytes.Length)
        {
            Array.Resize(ref _bytes, Math.Max(2 * _bytes.Length, Length + bytes.Length));
        }

        bytes.CopyTo(_bytes.AsMemory(Length));
        Length += bytes.Length;
    }

    /// <summary>False if another has the lease.</summary>
    public bool Cut(long token, long length)
    {
        bool can = !IsGone && token == Token;
        Length = can ? (int)Math.Min(Length, length) : Length;
        return can;
    }
}
