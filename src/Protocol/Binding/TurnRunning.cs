namespace Ambrosia.Protocol;

/// <summary>
/// Version 2: this message's turn begins (in steps), or has been running for a while. Data: varint LSN · varint index · zig-zag method id,
/// 0 for a reply.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct TurnRunning(MessagePosition Position, int MethodId)
{
    /// <summary>Largest encoding of the data, in bytes.</summary>
    public const int MaxSize = MessagePosition.MaxSize + Varint.MaxSize32;

    /// <summary>Writes the data and returns the bytes used.</summary>
    public int Write(Span<byte> destination)
    {
        int size = Position.Write(destination);
        return size + Varint.WriteZigZag(destination[size..], MethodId);
    }

    /// <summary>Reads the data; valid if and only if the index is below 2^31, the method id fits 32 bits and nothing follows.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static TurnRunning Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        MessagePosition position = MessagePosition.Read(ref reader, "running turn");
        long method = reader.ReadZigZag("running method id");
        reader.ExpectEnd("running turn");
        return method is >= int.MinValue and <= int.MaxValue
            ? new TurnRunning(position, (int)method)
            : throw new ProtocolException($"method id {method} exceeds 32 bits", 0);
    }
}
