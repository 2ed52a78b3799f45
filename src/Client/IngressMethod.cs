using System.Buffers;
using Ambrosia.Protocol.Ingress;
using Grpc.Core;

namespace Ambrosia.Client;

/// <summary>The methods of the service, as gRPC wants them. Replies are read afterwards: one that cannot be read is no failure to
/// repeat.</summary>
internal static class IngressMethod
{
    private static readonly Marshaller<byte[]> s_reply = Marshallers.Create(static bytes => bytes, static bytes => bytes);

    /// <summary>Waits for the answer.</summary>
    public static Method<IngressCallRequest, byte[]> Call { get; } =
        Of<IngressCallRequest>(IngressService.Call, static (call, output) => call.Write(output));

    /// <summary>Waits until the call is in the log.</summary>
    public static Method<IngressCallRequest, byte[]> Send { get; } =
        Of<IngressCallRequest>(IngressService.Send, static (call, output) => call.Write(output));

    /// <summary>Many calls on one stream.</summary>
    public static Method<IngressBatchWriter, byte[]> Calls { get; } = Of<IngressBatchWriter>(
        IngressService.Calls, static (batch, output) => output.Write(batch.Written.Span), MethodType.DuplexStreaming);

    /// <summary>Asks a query.</summary>
    public static Method<IngressQueryRequest, byte[]> Query { get; } =
        Of<IngressQueryRequest>(IngressService.Query, static (query, output) => query.Write(output));

    /// <summary>Watches a query.</summary>
    public static Method<IngressQueryRequest, byte[]> Watch { get; } = Of<IngressQueryRequest>(
        IngressService.Watch, static (query, output) => query.Write(output), MethodType.ServerStreaming);

    private static Method<T, byte[]> Of<T>(string name, Action<T, IBufferWriter<byte>> write, MethodType type = MethodType.Unary) => new(
        type, IngressService.Name, name,
        Marshallers.Create(
            (request, context) =>
            {
                write(request, context.GetBufferWriter());
                context.Complete();
            },
            static T (_) => throw new NotSupportedException("A client reads no requests.")),
        s_reply);
}
