using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// Passes an instance's answer on. If it ends too early, so does the caller's connection: half an answer must not look like a whole one.
/// </summary>
internal static class AnswerRelay
{
    private const int Piece = 64 << 10;

    public static async Task TellAsync(HttpContext context, InstanceAnswer answer, bool isGrpc)
    {
        HttpResponse response = context.Response;
        response.StatusCode = answer.Status;
        foreach ((string name, IEnumerable<string> values) in answer.Headers)
        {
            if (HeaderRules.Passes(name))
            {
                response.Headers[name] = values.ToArray();
            }
        }

        try
        {
            if (!HttpMethods.IsHead(context.Request.Method) && answer.First.Length > 0) // Of some statuses there is no body to write to.
            {
                await response.Body.WriteAsync(answer.First, context.RequestAborted);
                await (answer.Rest?.CopyToAsync(response.Body, Piece, context.RequestAborted) ?? Task.CompletedTask);
            }

            if (isGrpc)
            {
                foreach ((string name, IEnumerable<string> values) in answer.Trailers)
                {
                    response.AppendTrailer(name, values.ToArray());
                }
            }
        }
        catch (Exception error) when (error is IOException or HttpRequestException or OperationCanceledException)
        {
            context.Abort();
        }
    }
}
