using System.Buffers;

namespace Ambrosia.Protocol.Ingress;

/// <summary>What a query is told: <c>QueryReply</c> of <c>ambrosia/v1/ingress.proto</c>.</summary>
/// <param name="Form">How the result is written.</param>
/// <param name="Result">The result.</param>
/// <param name="Record">The record after which it was true.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record IngressQueryReply(IngressForm Form, ReadOnlyMemory<byte> Result, ulong Record)
{
    /// <summary>Appends it.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ProtoWriter(output);
        writer.Number(1, Record);
        writer.Bytes(Form == IngressForm.Json ? 4 : 3, Result.Span, always: true);
    }

    /// <summary>Reads one.</summary>
    /// <exception cref="ProtocolException">The bytes are none, or have no result.</exception>
    public static IngressQueryReply Read(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        IngressQueryReply? reply = null;
        ulong record = 0;
        while (reader.TryNext(out ProtoField field))
        {
            switch (field.Id)
            {
                case 1:
                    record = field.Value;
                    break;
                case -3:
                    reply = new IngressQueryReply(IngressForm.MessagePack, field.Bytes.ToArray(), 0);
                    break;
                case -4:
                    reply = new IngressQueryReply(IngressForm.Json, field.Bytes.ToArray(), 0);
                    break;
            }
        }

        return reply is null ? throw new ProtocolException("a reply without a result", 0) : reply with { Record = record };
    }
}
