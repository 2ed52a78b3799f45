using Ambrosia.Protocol.Ingress;
using Grpc.Core;

namespace Ambrosia.Client;

/// <summary>The methods of the service, as gRPC wants them. Replies are read afterwards: one that cannot be read is no failure to
/// repeat.</summary>
internal static class IngressMethod
{
    private static readonly Marshaller<byte[]> s_reply = Marshallers.Create(static bytes => bytes, static bytes => bytes);
    private static readonly Marshaller<IngressCallRequest> s_call = Marshallers.Create(
        static (request, context) =>
        {
            request.Write(context.GetBufferWriter());
            context.Complete();
        },
        static IngressCallRequest (_) => throw new NotSupportedException("A client reads no calls."));

    private static readonly Marshaller<IngressQueryRequest> s_query = Marshallers.Create(
        static (request, context) =>
        {
            request.Write(context.GetBufferWriter());
            context.Complete();
        },
        static IngressQueryRequest (_) => throw new NotSupportedException("A client reads no queries."));

    /// <summary>Waits for the answer.</summary>
    public static Method<IngressCallRequest, byte[]> Call { get; } = Of(IngressService.Call);

    /// <summary>Waits until the call is in the log.</summary>
    public static Method<IngressCallRequest, byte[]> Send { get; } = Of(IngressService.Send);

    /// <summary>Asks a query.</summary>
    public static Method<IngressQueryRequest, byte[]> Query { get; } = new(
        MethodType.Unary, IngressService.Name, IngressService.Query, s_query, s_reply);

    private static Method<IngressCallRequest, byte[]> Of(string name) => new(MethodType.Unary, IngressService.Name, name, s_call, s_reply);
}
