namespace Ambrosia.Protocol.Ingress;

/// <summary>One call of a stream: <c>StreamedCall</c> of <c>ambrosia/v1/ingress.proto</c>.</summary>
/// <param name="Id">What its reply repeats.</param>
/// <param name="Call">The call; null if its caller waits no more for the one with this id.</param>
/// <param name="Sends">Whether it waits only until the call is in the log.</param>
/// <param name="Wait">How long it waits, in milliseconds; 0 if it does not say.</param>
/// <param name="Size">Bytes that it had in its message.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record IngressStreamedCall(ulong Id, IngressCallRequest? Call, bool Sends, uint Wait, int Size)
{
    /// <summary>The call as it was written, for those that pass it on; empty unless it was asked for.</summary>
    public ReadOnlyMemory<byte> Written { get; init; }

    /// <summary>The id of the instance that it is for; empty if it names none.</summary>
    public string InstanceId { get; init; } = "";

    /// <summary>
    /// Reads the next one of a <c>CallBatch</c>; null after the last. One at a time: many small calls are far larger when they are read.
    /// </summary>
    /// <param name="batch">The message.</param>
    /// <param name="offset">Where to read on; 0 at first.</param>
    /// <param name="keepsWritten">Whether <see cref="Written"/> is asked for.</param>
    /// <exception cref="ProtocolException">The bytes are none.</exception>
    public static IngressStreamedCall? ReadNext(ReadOnlySpan<byte> batch, ref int offset, bool keepsWritten = false)
    {
        var reader = new ProtoReader(batch[offset..]);
        int begin = offset;
        while (reader.TryNext(out ProtoField field))
        {
            offset = begin + reader.Offset;
            if (field.Id == -1)
            {
                return Read(field.Bytes, keepsWritten);
            }
        }

        return null;
    }

    private static IngressStreamedCall Read(ReadOnlySpan<byte> source, bool keepsWritten)
    {
        var reader = new ProtoReader(source);
        (ulong id, IngressCallRequest? call, bool sends, uint wait) = (0UL, null as IngressCallRequest, false, 0U);
        byte[] written = [];
        string instanceId = "";
        while (reader.TryNext(out ProtoField field))
        {
            switch (field.Id)
            {
                case 1:
                    id = field.Value;
                    break;
                case -2:
                    call = IngressCallRequest.Read(field.Bytes);
                    written = keepsWritten ? field.Bytes.ToArray() : written;
                    break;
                case 3:
                    sends = field.Value != 0;
                    break;
                case 4:
                    wait = (uint)Math.Min(field.Value, uint.MaxValue);
                    break;
                case -5:
                    instanceId = reader.Text(field);
                    break;
            }
        }

        return new IngressStreamedCall(id, call, sends, wait, source.Length) { Written = written, InstanceId = instanceId };
    }
}
