using System.Buffers;

namespace Ambrosia.Protocol.Ingress;

/// <summary>A refusal as gRPC tells it: a status, and beside it a <c>google.rpc.Status</c> with one <c>google.rpc.ErrorInfo</c>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class IngressStatus
{
    /// <summary>The <c>google.rpc.Status</c>.</summary>
    /// <param name="status">Number of the status of gRPC.</param>
    /// <param name="message">What is wrong this time.</param>
    /// <param name="code">Code of the failure, such as <c>IC-7003</c>.</param>
    /// <param name="isFinal">Whether each repeat is told the same.</param>
    public static byte[] Write(int status, string message, string code, bool isFinal)
    {
        byte[] entry = Message(writer =>
        {
            writer.Text(1, "final");
            writer.Text(2, isFinal ? "true" : "false");
        });
        byte[] info = Message(writer =>
        {
            writer.Text(1, code);
            writer.Text(2, IngressService.ErrorDomain);
            writer.Bytes(3, entry);
        });
        byte[] any = Message(writer =>
        {
            writer.Text(1, "type.googleapis.com/google.rpc.ErrorInfo");
            writer.Bytes(2, info);
        });
        return Message(writer =>
        {
            writer.Number(1, (ulong)status);
            writer.Text(2, message);
            writer.Bytes(3, any);
        });
    }

    private static byte[] Message(Action<ProtoWriter> write)
    {
        var output = new ArrayBufferWriter<byte>(128);
        write(new ProtoWriter(output));
        return output.WrittenSpan.ToArray();
    }
}
