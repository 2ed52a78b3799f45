using System.Buffers;

namespace Ambrosia.Protocol.Ingress;

/// <summary>Asks for a call that was made earlier: <c>GetCallRequest</c> of <c>ambrosia/v1/ingress.proto</c>.</summary>
/// <param name="Instance">The instance that was called.</param>
/// <param name="Key">The key of the call.</param>
/// <param name="Method">The method that was called; empty if that is not known.</param>
/// <param name="Form">How the result is wanted.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record IngressLookRequest(string Instance, IngressKey Key, string Method, IngressForm Form)
{
    /// <summary>Appends it.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ProtoWriter(output);
        writer.Text(1, Instance);
        Key.Write(writer, 2);
        writer.Text(3, Method);
        writer.Number(4, Form == IngressForm.Json ? 1u : 0u);
    }

    /// <summary>Reads one.</summary>
    /// <exception cref="ProtocolException">The bytes are none.</exception>
    public static IngressLookRequest Read(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        var request = new IngressLookRequest("", new IngressKey("", 0, 0, 0), "", IngressForm.MessagePack);
        while (reader.TryNext(out ProtoField field))
        {
            request = field.Id switch
            {
                -1 => request with { Instance = reader.Text(field) },
                -2 => request with { Key = IngressKey.Read(field.Bytes) },
                -3 => request with { Method = reader.Text(field) },
                4 => request with { Form = field.Value == 0 ? IngressForm.MessagePack : IngressForm.Json },
                _ => request,
            };
        }

        return request;
    }
}
