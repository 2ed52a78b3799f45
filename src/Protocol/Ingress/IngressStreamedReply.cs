namespace Ambrosia.Protocol.Ingress;

/// <summary>What one call of a stream is told: <c>StreamedReply</c> of <c>ambrosia/v1/ingress.proto</c>.</summary>
/// <param name="Id">That of the call.</param>
/// <param name="Reply">An <see cref="IngressReply"/>, not read yet; null for a refusal.</param>
/// <param name="Refusal">Why there is none; null for a reply.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct IngressStreamedReply(ulong Id, byte[]? Reply, IngressRefusal? Refusal)
{
    /// <summary>Reads those of a <c>ReplyBatch</c>.</summary>
    /// <exception cref="ProtocolException">The bytes are none.</exception>
    public static IReadOnlyList<IngressStreamedReply> ReadBatch(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        var replies = new List<IngressStreamedReply>();
        while (reader.TryNext(out ProtoField field))
        {
            if (field.Id == -1)
            {
                replies.Add(Read(field.Bytes));
            }
        }

        return replies;
    }

    private static IngressStreamedReply Read(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        var reply = new IngressStreamedReply(0, null, null);
        while (reader.TryNext(out ProtoField field))
        {
            reply = field.Id switch
            {
                1 => reply with { Id = field.Value },
                -2 => reply with { Reply = field.Bytes.ToArray(), Refusal = null },
                -3 => reply with { Reply = null, Refusal = IngressRefusal.Read(field.Bytes) },
                _ => reply,
            };
        }

        return reply;
    }
}
