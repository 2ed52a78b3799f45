using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>Data of QueryReply: varint id · byte status · the result, or a reason in UTF-8.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct QueryReply
{
    private QueryReply(ulong id, QueryStatus status, ReadOnlySpan<byte> body)
    {
        Id = id;
        Status = status;
        Body = body;
    }

    /// <summary>The query's id.</summary>
    public ulong Id { get; }

    /// <summary>How it was answered.</summary>
    public QueryStatus Status { get; }

    /// <summary>The result; empty if it has none. For other statuses the reason.</summary>
    public ReadOnlySpan<byte> Body { get; }

    /// <summary>Writes the data of a reply.</summary>
    public static void Write(IBufferWriter<byte> output, ulong id, QueryStatus status, ReadOnlySpan<byte> body)
    {
        Span<byte> head = stackalloc byte[Varint.MaxSize64 + 1];
        int size = Varint.Write(head, id);
        head[size++] = (byte)status;
        output.Write(head[..size]);
        output.Write(body);
    }

    /// <summary>Reads the data of a reply.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static QueryReply Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        ulong id = reader.ReadVarint("query id");
        byte status = reader.ReadByte("query status");
        return status <= (byte)QueryStatus.Failed
            ? new QueryReply(id, (QueryStatus)status, reader.Rest)
            : throw new ProtocolException($"query status {status}", reader.Offset - 1);
    }
}
