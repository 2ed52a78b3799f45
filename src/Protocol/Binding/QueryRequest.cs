namespace Ambrosia.Protocol;

/// <summary>Data of Query: varint id · one message of type 0, a call. Valid if and only if the message fills the rest exactly.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct QueryRequest
{
    private QueryRequest(ulong id, ReadOnlySpan<byte> rpc)
    {
        Id = id;
        Rpc = rpc;
    }

    /// <summary>Ties the answer to the question.</summary>
    public ulong Id { get; }

    /// <summary>Data of the message, in delivery form.</summary>
    public ReadOnlySpan<byte> Rpc { get; }

    /// <summary>The data of a query.</summary>
    public static byte[] Write(ulong id, ReadOnlySpan<byte> rpc)
    {
        byte[] data = new byte[(2 * Varint.MaxSize64) + 1 + rpc.Length];
        int size = Varint.Write(data, id);
        size += Varint.WriteZigZag(data.AsSpan(size), rpc.Length + 1);
        data[size++] = (byte)BindingMessageType.Rpc;
        rpc.CopyTo(data.AsSpan(size));
        return data[..(size + rpc.Length)];
    }

    /// <summary>Reads the data of a query.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static QueryRequest Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        ulong id = reader.ReadVarint("query id");
        long size = reader.ReadZigZag("query message size");
        byte type = reader.ReadByte("query message type");
        return type == (byte)BindingMessageType.Rpc && size == reader.Remaining + 1L
            ? new QueryRequest(id, reader.Rest)
            : throw new ProtocolException($"query with a message of type {type} and {size} bytes", reader.Offset);
    }
}
