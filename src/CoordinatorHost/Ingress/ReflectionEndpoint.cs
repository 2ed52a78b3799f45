using Ambrosia.CoordinatorHost.Protobuf;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// Tells tools such as grpcurl which services are here, as far as the caller may call them: <c>grpc.reflection.v1.ServerReflection</c>, and
/// <c>v1alpha</c> for older ones.
/// </summary>
internal sealed class ReflectionEndpoint(IngressCalls calls, CurrentShapes shapes, IngressLimits limits, TimeProvider time)
{
    private const string Method = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    private const string OldMethod = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

    /// <summary>Whether a request is for it.</summary>
    public static bool IsFor(HttpRequest request) => request.Path.Value is Method or OldMethod;

    public async Task HandleAsync(HttpContext context, IngressCaller caller)
    {
        IReadOnlyList<ProtoFile> files = FilesFor(caller);
        await new ReflectionStream(limits, time).ServeAsync(
            context, (question, _) => ValueTask.FromResult(new IngressStreamedReply(0, ReflectionAnswer.Of(question, files), null)));
    }

    // The typed service is there with the methods that the caller may call, if there are any.
    private IReadOnlyList<ProtoFile> FilesFor(IngressCaller caller)
    {
        if (shapes.Service is not { } service)
        {
            return ProtoFile.Published;
        }

        ProtoMethod[] served = [.. service.Methods.Where(method => method.Missing is null && calls.Offers(method.Shape, caller))];
        return served.Length == 0 ? ProtoFile.Published
            : [.. ProtoFile.Published, ProtoFile.Read(ProtoDescriptor.Write(service, served))];
    }
}
