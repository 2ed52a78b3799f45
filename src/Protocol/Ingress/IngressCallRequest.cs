using System.Buffers;

namespace Ambrosia.Protocol.Ingress;

/// <summary>A call from outside: <c>CallRequest</c> of <c>ambrosia/v1/ingress.proto</c>.</summary>
/// <param name="Instance">The instance that is called.</param>
/// <param name="Method">The method's name.</param>
/// <param name="MethodId">The method's number; null if only its name is known.</param>
/// <param name="Key">Its key; null if it has none.</param>
/// <param name="Form">How its arguments are written.</param>
/// <param name="Arguments">Its arguments; empty for none.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record IngressCallRequest(
    string Instance, string Method, int? MethodId, IngressKey? Key, IngressForm Form, ReadOnlyMemory<byte> Arguments)
{
    /// <summary>Appends it.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ProtoWriter(output);
        writer.Text(1, Instance);
        writer.Text(2, Method);
        if (MethodId is { } id)
        {
            writer.Number(3, (uint)id, always: true);
        }

        Key?.Write(writer, 4);
        writer.Bytes(Form == IngressForm.Json ? 6 : 5, Arguments.Span, always: true);
    }

    /// <summary>Reads one.</summary>
    /// <exception cref="ProtocolException">The bytes are none.</exception>
    public static IngressCallRequest Read(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        var request = new IngressCallRequest("", "", null, null, IngressForm.MessagePack, default);
        while (reader.TryNext(out ProtoField field))
        {
            request = field.Id switch
            {
                -1 => request with { Instance = reader.Text(field) },
                -2 => request with { Method = reader.Text(field) },
                3 => request with { MethodId = NumberOf(field) },
                -4 => request with { Key = IngressKey.Read(field.Bytes) },
                -5 => request with { Form = IngressForm.MessagePack, Arguments = field.Bytes.ToArray() },
                -6 => request with { Form = IngressForm.Json, Arguments = field.Bytes.ToArray() },
                _ => request,
            };
        }

        return request;
    }

    /// <summary>The number of a method.</summary>
    internal static int NumberOf(in ProtoField field) => field.Value <= int.MaxValue ? (int)field.Value
        : throw new ProtocolException("method_id is no method's number", 0);
}
