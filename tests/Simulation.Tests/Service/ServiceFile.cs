namespace Ambrosia.Simulation.Tests;

/// <summary>A file that a service keeps.</summary>
internal sealed class ServiceFile(LogService service)
{
    private byte[] _bytes = new byte[4096];

    public int Length { get; private set; }

    public bool Begins(ReadOnlyMemory<byte> beginning) => Length >= beginning.Length && _bytes.AsSpan(0, beginning.Length).SequenceEqual(beginning.Span);

    public byte[] Read(long offset, int count) => offset >= Length ? [] : _bytes.AsSpan((int)offset, (int)Math.Min(count, Length - offset)).ToArray();

    /// <summary>Where the file would end; null if another has the lease. Nothing is done unless it ends at the offset: so the same append may come twice.</summary>
    public long? Append(long token, ReadOnlyMemory<byte> bytes, long offset)
    {
        if (token == service.Token && offset == Length)
        {
            if (Length + bytes.Length > _bytes.Length)
            {
                Array.Resize(ref _bytes, Math.Max(2 * _bytes.Length, Length + bytes.Length));
            }

            bytes.CopyTo(_bytes.AsMemory(Length));
            Length += bytes.Length;
        }

        return token == service.Token ? Length : null;
    }

    /// <summary>False if another has the lease.</summary>
    public bool Cut(long token, long length)
    {
        Length = token == service.Token ? (int)Math.Min(Length, length) : Length;
        return token == service.Token;
    }
}
