using System.Buffers;

namespace Ambrosia.Protocol.Ingress;

/// <summary>What a call from outside is told: <c>CallReply</c> of <c>ambrosia/v1/ingress.proto</c>.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Bytes">The result, or the exception as between immortals.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record IngressReply(IngressReplyKind Kind, ReadOnlyMemory<byte> Bytes = default)
{
    /// <summary>Of an exception: full name of its type.</summary>
    public string ExceptionType { get; init; } = "";

    /// <summary>Of an exception: its message.</summary>
    public string ExceptionMessage { get; init; } = "";

    /// <summary>Of an exception: what it declares, as JSON; empty for nothing.</summary>
    public string ExceptionData { get; init; } = "";

    /// <summary>Appends it.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ProtoWriter(output);
        if (Kind != IngressReplyKind.Exception)
        {
            writer.Bytes(FieldOf(Kind), Bytes.Span, always: true);
            return;
        }

        var bytes = new ArrayBufferWriter<byte>(256);
        var exception = new ProtoWriter(bytes);
        exception.Text(1, ExceptionType);
        exception.Text(2, ExceptionMessage);
        exception.Text(3, ExceptionData);
        exception.Bytes(4, Bytes.Span);
        writer.Bytes(FieldOf(Kind), bytes.WrittenSpan, always: true);
    }

    /// <summary>Reads one.</summary>
    /// <exception cref="ProtocolException">The bytes are none, or say nothing that is known here.</exception>
    public static IngressReply Read(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        IngressReply? reply = null;
        while (reader.TryNext(out ProtoField field))
        {
            reply = field.Id switch
            {
                -1 => new IngressReply(IngressReplyKind.Accepted),
                -2 => new IngressReply(IngressReplyKind.Nothing),
                -3 => new IngressReply(IngressReplyKind.MessagePack, field.Bytes.ToArray()),
                -4 => new IngressReply(IngressReplyKind.Json, field.Bytes.ToArray()),
                -5 => ReadException(field.Bytes),
                _ => reply,
            };
        }

        return reply ?? throw new ProtocolException("a reply that says nothing", 0);
    }

    private static int FieldOf(IngressReplyKind kind) => (int)kind + 1;

    private static IngressReply ReadException(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        var reply = new IngressReply(IngressReplyKind.Exception);
        while (reader.TryNext(out ProtoField field))
        {
            reply = field.Id switch
            {
                -1 => reply with { ExceptionType = reader.Text(field) },
                -2 => reply with { ExceptionMessage = reader.Text(field) },
                -3 => reply with { ExceptionData = reader.Text(field) },
                -4 => reply with { Bytes = field.Bytes.ToArray() },
                _ => reply,
            };
        }

        return reply;
    }
}
