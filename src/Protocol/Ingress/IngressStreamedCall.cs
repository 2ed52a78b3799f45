namespace Ambrosia.Protocol.Ingress;

/// <summary>One call of a stream: <c>StreamedCall</c> of <c>ambrosia/v1/ingress.proto</c>.</summary>
/// <param name="Id">What its reply repeats.</param>
/// <param name="Call">The call; null if its caller waits no more for the one with this id.</param>
/// <param name="Sends">Whether it waits only until the call is in the log.</param>
/// <param name="Wait">How long it waits, in milliseconds; 0 if it does not say.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record IngressStreamedCall(ulong Id, IngressCallRequest? Call, bool Sends, uint Wait)
{
    /// <summary>Reads those of a <c>CallBatch</c>.</summary>
    /// <exception cref="ProtocolException">The bytes are none.</exception>
    public static IReadOnlyList<IngressStreamedCall> ReadBatch(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        var calls = new List<IngressStreamedCall>();
        while (reader.TryNext(out ProtoField field))
        {
            if (field.Id == -1)
            {
                calls.Add(Read(field.Bytes));
            }
        }

        return calls;
    }

    private static IngressStreamedCall Read(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        (ulong id, IngressCallRequest? call, bool sends, uint wait) = (0UL, null as IngressCallRequest, false, 0U);
        while (reader.TryNext(out ProtoField field))
        {
            switch (field.Id)
            {
                case 1:
                    id = field.Value;
                    break;
                case -2:
                    call = IngressCallRequest.Read(field.Bytes);
                    break;
                case 3:
                    sends = field.Value != 0;
                    break;
                case 4:
                    wait = (uint)Math.Min(field.Value, uint.MaxValue);
                    break;
            }
        }

        return new IngressStreamedCall(id, call, sends, wait);
    }
}
