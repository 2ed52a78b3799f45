namespace Ambrosia.Protocol.Ingress;

/// <summary>Which instance has a name: <c>ServingInstance</c> of <c>ambrosia/v1/ingress.proto</c>.</summary>
/// <param name="Instance">The name.</param>
/// <param name="InstanceId">The id of the instance, in 32 hexadecimal digits.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct IngressServing(string Instance, string InstanceId)
{
    /// <summary>Reads those of a <c>ReplyBatch</c>.</summary>
    /// <exception cref="ProtocolException">The bytes are none.</exception>
    public static IReadOnlyList<IngressServing> ReadBatch(ReadOnlySpan<byte> source)
    {
        List<IngressServing>? serving = null;
        var reader = new ProtoReader(source);
        while (reader.TryNext(out ProtoField field))
        {
            if (field.Id == -2)
            {
                (serving ??= []).Add(Read(field.Bytes));
            }
        }

        return serving ?? [];
    }

    private static IngressServing Read(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        var serving = new IngressServing("", "");
        while (reader.TryNext(out ProtoField field))
        {
            serving = field.Id switch
            {
                -1 => serving with { Instance = reader.Text(field) },
                -2 => serving with { InstanceId = reader.Text(field) },
                _ => serving,
            };
        }

        return serving;
    }
}
