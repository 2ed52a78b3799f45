using System.Buffers;

namespace Ambrosia.Protocol.Ingress;

/// <summary>Asks a query: <c>QueryRequest</c> of <c>ambrosia/v1/ingress.proto</c>.</summary>
/// <param name="Instance">The instance that is asked.</param>
/// <param name="Method">The query's name.</param>
/// <param name="MethodId">The query's number; null if only its name is known.</param>
/// <param name="Form">How its arguments are written.</param>
/// <param name="Arguments">Its arguments; empty for none.</param>
/// <param name="AtLeast">The record that must have been executed before; 0 for none.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record IngressQueryRequest(
    string Instance, string Method, int? MethodId, IngressForm Form, ReadOnlyMemory<byte> Arguments, ulong AtLeast)
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

        writer.Bytes(Form == IngressForm.Json ? 6 : 5, Arguments.Span, always: true);
        writer.Number(7, AtLeast);
    }

    /// <summary>Reads one.</summary>
    /// <exception cref="ProtocolException">The bytes are none.</exception>
    public static IngressQueryRequest Read(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        var request = new IngressQueryRequest("", "", null, IngressForm.MessagePack, default, 0);
        while (reader.TryNext(out ProtoField field))
        {
            request = field.Id switch
            {
                -1 => request with { Instance = reader.Text(field) },
                -2 => request with { Method = reader.Text(field) },
                3 => request with { MethodId = IngressCallRequest.NumberOf(field) },
                -5 => request with { Form = IngressForm.MessagePack, Arguments = field.Bytes.ToArray() },
                -6 => request with { Form = IngressForm.Json, Arguments = field.Bytes.ToArray() },
                7 => request with { AtLeast = field.Value },
                _ => request,
            };
        }

        return request;
    }
}
