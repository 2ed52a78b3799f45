using System.Text;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>Stands between a store and the emulator, and lets a test decide about each request.</summary>
/// <param name="target">The emulator's port.</param>
/// <param name="script">What becomes of a request, given its number from 1: an answer that is made up, or null: the emulator's.</param>
internal sealed class ScriptedService(int target, Func<HttpRequest, int, ValueTask<MadeUpAnswer?>> script) : HttpRelay(target)
{
    private readonly List<string> _ids = [];

    /// <summary>What the client calls each of its requests; a client that repeats one by itself calls it the same.</summary>
    public IReadOnlyList<string> Ids
    {
        get
        {
            lock (_ids)
            {
                return [.. _ids];
            }
        }
    }

    protected override async Task ActAsync(HttpContext context, byte[] body)
    {
        int number;
        lock (_ids)
        {
            _ids.Add(context.Request.Headers["x-ms-client-request-id"].ToString());
            number = _ids.Count;
        }

        if (await script(context.Request, number) is not { } answer)
        {
            using HttpResponseMessage real = await ForwardAsync(context.Request, body);
            await CopyAsync(real, context.Response);
            return;
        }

        byte[] text = Encoding.UTF8.GetBytes(answer.Body);
        context.Response.StatusCode = answer.Status;
        context.Response.ContentType = "application/json;odata=minimalmetadata";
        context.Response.ContentLength = text.Length;
        await context.Response.Body.WriteAsync(text, context.RequestAborted);
    }
}
