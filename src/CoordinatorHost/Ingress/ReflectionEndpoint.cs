using Ambrosia.CoordinatorHost.Protobuf;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// Tells tools such as grpcurl which services are here, as far as the caller may call them: <c>grpc.reflection.v1.ServerReflection</c>, and
/// <c>v1alpha</c> for older ones. A stream ends when its client has asked enough, or at its limits.
/// </summary>
internal sealed class ReflectionEndpoint(IngressCalls calls, CurrentShapes shapes, IngressLimits limits, TimeProvider time)
{
    private const string Method = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    private const string OldMethod = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

    /// <summary>Whether a request is for it.</summary>
    public static bool IsFor(HttpRequest request) => request.Path.Value is Method or OldMethod;

    public async Task HandleAsync(HttpContext context, IngressCaller caller)
    {
        // People think between two questions. So the stream has a time of its own, and no rate.
        if (context.Features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
        {
            rate.MinDataRate = null;
        }

        using var late = new CancellationTokenSource(limits.QuestionsTime, time);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, late.Token);
        bool isWriting = false;
        try
        {
            var messages = new GrpcMessages(context.Request, limits.Question);
            IReadOnlyList<ProtoFile> files = FilesFor(caller);
            for (int count = 0; count < limits.Questions && await messages.NextAsync(stop.Token) is { } question; count++)
            {
                isWriting = true;
                await GrpcAnswer.TellNextAsync(context, output => ReflectionAnswer.Write(question, files, output), stop.Token);
                isWriting = false;
            }

            GrpcAnswer.End(context);
        }
        catch (OperationCanceledException) when (late.IsCancellationRequested && !context.RequestAborted.IsCancellationRequested)
        {
            if (isWriting)
            {
                context.Abort(); // Its client takes nothing: neither would it take the end.
            }
            else
            {
                GrpcAnswer.End(context);
            }
        }
        catch (ProblemException refused)
        {
            await GrpcAnswer.RefuseAsync(context, refused.Problem);
        }
        catch (ProtoValueException error)
        {
            await GrpcAnswer.RefuseAsync(context, new Problem(
                StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood,
                $"the message is no ServerReflectionRequest: {error.Message}"));
        }
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
