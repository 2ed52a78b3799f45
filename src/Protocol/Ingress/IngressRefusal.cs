namespace Ambrosia.Protocol.Ingress;

/// <summary>Why a call of a stream has no reply: <c>Refusal</c> of <c>ambrosia/v1/ingress.proto</c>.</summary>
/// <param name="Status">Number of the status of gRPC.</param>
/// <param name="Code">Code of the failure, such as <c>IC-7003</c>.</param>
/// <param name="Message">What is wrong.</param>
/// <param name="IsFinal">Whether each repeat is told the same.</param>
/// <param name="Instance">The instance that is served there, if the call was for another one; else empty.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record IngressRefusal(int Status, string Code, string Message, bool IsFinal, string Instance)
{
    /// <summary>The id of the instance that is served there, if the key names another one, or none and must; else empty.</summary>
    public string InstanceId { get; init; } = "";

    internal void Write(ProtoWriter output)
    {
        output.Number(1, (ulong)Status);
        output.Text(2, Code);
        output.Text(3, Message);
        output.Number(4, IsFinal ? 1UL : 0);
        output.Text(5, Instance);
        output.Text(6, InstanceId);
    }

    internal static IngressRefusal Read(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        var refusal = new IngressRefusal(0, "", "", false, "");
        while (reader.TryNext(out ProtoField field))
        {
            refusal = field.Id switch
            {
                1 => refusal with { Status = field.Value <= 16 ? (int)field.Value : 2 },
                -2 => refusal with { Code = reader.Text(field) },
                -3 => refusal with { Message = reader.Text(field) },
                4 => refusal with { IsFinal = field.Value != 0 },
                -5 => refusal with { Instance = reader.Text(field) },
                -6 => refusal with { InstanceId = reader.Text(field) },
                _ => refusal,
            };
        }

        return refusal;
    }
}
