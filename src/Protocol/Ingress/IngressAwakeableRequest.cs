using System.Buffers;
using System.Text;

namespace Ambrosia.Protocol.Ingress;

/// <summary>Completes an awakeable: <c>AwakeableRequest</c> of <c>ambrosia/v1/ingress.proto</c>.</summary>
/// <param name="Instance">The instance that has given it out; empty for the one that is asked.</param>
/// <param name="Id">Names it.</param>
/// <param name="Form">How it is completed.</param>
/// <param name="Body">The value, or as UTF-8 why it is rejected.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record IngressAwakeableRequest(string Instance, string Id, IngressAwakeableForm Form, ReadOnlyMemory<byte> Body)
{
    private static readonly IngressAwakeableRequest s_empty = new("", "", IngressAwakeableForm.None, default);

    /// <summary>Appends it.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ProtoWriter(output);
        writer.Text(1, Instance);
        writer.Text(2, Id);
        switch (Form)
        {
            case IngressAwakeableForm.MessagePack:
                writer.Bytes(3, Body.Span, always: true);
                break;
            case IngressAwakeableForm.Json:
                writer.Bytes(4, Body.Span, always: true);
                break;
            case IngressAwakeableForm.Rejection:
                var rejection = new ArrayBufferWriter<byte>(64);
                new ProtoWriter(rejection).Bytes(1, Body.Span);
                writer.Bytes(5, rejection.WrittenSpan, always: true);
                break;
        }
    }

    /// <summary>Reads one.</summary>
    /// <exception cref="ProtocolException">The bytes are none.</exception>
    public static IngressAwakeableRequest Read(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        IngressAwakeableRequest request = s_empty;
        while (reader.TryNext(out ProtoField field))
        {
            request = field.Id switch
            {
                -1 => request with { Instance = reader.Text(field) },
                -2 => request with { Id = reader.Text(field) },
                -3 => request with { Form = IngressAwakeableForm.MessagePack, Body = field.Bytes.ToArray() },
                -4 => request with { Form = IngressAwakeableForm.Json, Body = field.Bytes.ToArray() },
                -5 => request with { Form = IngressAwakeableForm.Rejection, Body = ReadReason(field.Bytes) },
                _ => request,
            };
        }

        return request;
    }

    /// <summary>The id that the first bytes of one name; empty if it is not among them.</summary>
    /// <param name="begun">As much as has arrived. The last field may be cut.</param>
    public static string IdIn(ReadOnlySpan<byte> begun)
    {
        var reader = new ProtoReader(begun);
        try
        {
            while (reader.TryNext(out ProtoField field))
            {
                if (field.Id == -2)
                {
                    return reader.Text(field);
                }
            }
        }
        catch (ProtocolException)
        {
            // The rest of the field has not come yet; what is no message is refused when all is read.
        }

        return "";
    }

    private static byte[] ReadReason(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        string reason = "";
        while (reader.TryNext(out ProtoField field))
        {
            reason = field.Id == -1 ? reader.Text(field) : reason;
        }

        return Encoding.UTF8.GetBytes(reason);
    }
}
