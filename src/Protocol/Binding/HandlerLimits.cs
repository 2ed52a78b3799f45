namespace Ambrosia.Protocol;

/// <summary>
/// Version 2: the limits that a handler can see, from the next record on; sent to a binding that has the feature bit. Data: varint largest
/// message in bytes. Limits are inputs: a replay executes each record under those that were in force when it was new.
/// </summary>
/// <param name="MaxMessageBytes">Largest message that a handler may send, as in Welcome.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct HandlerLimits(long MaxMessageBytes)
{
    /// <summary>Largest encoding of the data, in bytes.</summary>
    public const int MaxSize = Varint.MaxSize64;

    /// <summary>Writes the data and returns the bytes used.</summary>
    public int Write(Span<byte> destination) => Varint.Write(destination, (ulong)MaxMessageBytes);

    /// <summary>Reads the data; valid if and only if the number is not 0 and fits 63 bits, and nothing follows.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static HandlerLimits Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        ulong largest = reader.ReadVarint("largest message");
        reader.ExpectEnd("limits");
        return largest is > 0 and <= long.MaxValue ? new HandlerLimits((long)largest)
            : throw new ProtocolException($"limits: largest message of {largest} bytes", 0);
    }
}
