using System.Text;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Inspection;
using Ambrosia.Inspection.Log;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.Protocol;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Page;

/// <summary>
/// The requests below <c>/page/</c>: the page's files, what it asks of logs, and, where a replay is at hand, what it may ask that to do.
/// Everything is GET but the latter. Whether the request is allowed (this machine, no foreign page, the token) has been decided before.
/// </summary>
public sealed class PageEndpoints(PageLogs logs, PageAnswers answers, PageSources sources)
{
    /// <summary>Where the page lies.</summary>
    public const string Root = "/page/";

    private const string Api = "api/";
    private const string Json = "application/json; charset=utf-8";
    private const string Policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action "
        + "'none'; frame-ancestors 'none'";

    /// <summary>Whether a path is that of one of the page's own files, or of none: nothing that an instance or its log tells.</summary>
    public static bool IsFile(string? path) =>
        path?.StartsWith(Root, StringComparison.Ordinal) == true && !path.AsSpan(Root.Length).StartsWith(Api, StringComparison.Ordinal);

    /// <summary>Answers a request whose path begins with <see cref="Root"/>.</summary>
    public async Task HandleAsync(HttpContext context)
    {
        IHeaderDictionary headers = context.Response.Headers;
        Confine(headers);
        string path = context.Request.Path.Value![Root.Length..];
        bool changes = path is "api/command" or "api/effect";
        string allowed = changes ? "POST" : "GET";
        if (context.Request.Method != allowed && !(allowed == "GET" && HttpMethods.IsHead(context.Request.Method)))
        {
            headers.Allow = allowed;
            await AnswerAsync(context, StatusCodes.Status405MethodNotAllowed, $"use {allowed}\n");
            return;
        }

        try
        {
            await (changes ? MoveAsync(context, path) : path.StartsWith(Api, StringComparison.Ordinal) ? AskAsync(context, path)
                : FileAsync(context, path));
        }
        catch (Exception error) when (error is LogStoreException or CoordinatorException or ProtocolException or IOException)
        {
            await AnswerAsync(context, StatusCodes.Status409Conflict, $"{error.Message}\n");
        }
    }

    /// <summary>Tells the browser that what it gets may load nothing from elsewhere, and is shown within no other page.</summary>
    public static void Confine(IHeaderDictionary headers)
    {
        headers.ContentSecurityPolicy = Policy;
        headers.XContentTypeOptions = "nosniff";
        headers["Referrer-Policy"] = "no-referrer";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
    }

    /// <summary>Answers with one of the page's own files.</summary>
    /// <param name="context">The request.</param>
    /// <param name="path">The file's name; "" for the first page.</param>
    public static Task FileAsync(HttpContext context, string path)
    {
        if (!PageAssets.TryGet(path.Length == 0 ? "index.html" : path, out byte[] bytes, out string type))
        {
            return AnswerAsync(context, StatusCodes.Status404NotFound, "there is no such file\n");
        }

        return AnswerAsync(context, StatusCodes.Status200OK, bytes, type);
    }

    private async Task AskAsync(HttpContext context, string path)
    {
        switch (path)
        {
            case "api/status":
                await RelayAsync(context, sources.Status, Json);
                return;
            case "api/waiting":
                await RelayAsync(context, sources.Waiting, Json);
                return;
            case "api/metrics":
                await RelayAsync(context, sources.Metrics, "text/plain; charset=utf-8");
                return;
        }

        var query = new PageQuery(context.Request.Query);
        if (await logs.FindAsync(query.Text("log"), context.RequestAborted) is not { } log)
        {
            await AnswerAsync(context, StatusCodes.Status404NotFound, $"the log of '{query.Text("log")}' is not at hand\n");
            return;
        }

        byte[]? answer;
        await log.Gate.WaitAsync(context.RequestAborted);
        try
        {
            answer = await AnswerAsync(log, path, query);
        }
        finally
        {
            log.Gate.Release();
        }

        await (answer is null
            ? AnswerAsync(context, StatusCodes.Status404NotFound, "there is nothing like that in this log\n")
            : AnswerAsync(context, StatusCodes.Status200OK, answer, Json));
    }

    private async Task<byte[]?> AnswerAsync(PageLog log, string path, PageQuery query)
    {
        switch (path)
        {
            case "api/log":
                await log.AdvanceAsync();
                await sources.LookForNames(log);
                return answers.Describe(log, logs.Names, sources.Session);
            case "api/buckets":
                return PageAnswers.Buckets(log, query, await query.FilterAsync(log));
            case "api/messages":
                return await answers.RowsAsync(log, query, await query.FilterAsync(log));
            case "api/message":
                return MessagePosition.TryParse(query.Text("p"), out MessagePosition position) ? await MessageAsync(log, position) : null;
            case "api/find":
                return await FindAsync(log, query.Text("sender"), query.Number("number"));
            case "api/source":
                return Source(log, query.Text("to"), query.Number("number"));
            case "api/at":
                return PageAnswers.Write(json => json.WriteNumber("o", log.Index.OrdinalAt(query.Ticks("t", 0))));
            default:
                return null;
        }
    }

    private async Task<byte[]?> MessageAsync(PageLog log, MessagePosition position) =>
        log.Index.TryFind(position, out long ordinal) && await log.ReadAsync(position.Lsn) is { } record && position.Index < record.Count
            ? answers.Details(log, record, position, ordinal)
            : null;

    // The message that this sender gave this number: how a request is followed to where it went.
    private async Task<byte[]?> FindAsync(PageLog log, string sender, ulong number)
    {
        if (log.Index.InputsOf(sender)?.Reaching(number) is { } found && await log.ReadAsync(found.Lsn) is
            { } record && record.Find(sender, number) is { } index)
        {
            return await MessageAsync(log, new MessagePosition(found.Lsn, index));
        }

        return null;
    }

    // The record that made the app send the message with this number: where a request came from.
    private static byte[]? Source(
        PageLog log, string to, ulong number) => log.Index.SourceOf(to, number) is not { } source ? null : PageAnswers.Write(json =>
    {
        json.WriteString("p", new MessagePosition(source.Lsn, 0).ToString());
        json.WriteNumber("first", source.First);
        json.WriteNumber("last", source.Last);
    });

    private async Task MoveAsync(HttpContext context, string path)
    {
        var query = new PageQuery(context.Request.Query);
        if (sources.Session is not { } session)
        {
            await AnswerAsync(context, StatusCodes.Status409Conflict,
                "nothing is replayed here: start 'ambrosia debug --web' with the app behind --\n");
        }
        else if (path == "api/command")
        {
            await AnswerAsync(context, StatusCodes.Status200OK, await session.RunAsync(query.Text("line"), context.RequestAborted), Json);
        }
        else if (MessagePosition.TryParse(query.Text("p"), out MessagePosition position))
        {
            await AnswerAsync(context, StatusCodes.Status200OK, await session.EffectAsync(position, context.RequestAborted), Json);
        }
        else
        {
            await AnswerAsync(context, StatusCodes.Status404NotFound, "name a message as in p=17:3\n");
        }
    }

    private static async Task RelayAsync(HttpContext context, Func<CancellationToken, Task<string?>> source, string type)
    {
        string? text = await source(context.RequestAborted);
        await (text is null
            ? AnswerAsync(context, StatusCodes.Status404NotFound, "no coordinator answers\n")
            : AnswerAsync(context, StatusCodes.Status200OK, text, type));
    }

    private static Task AnswerAsync(HttpContext context, int code, string text, string type = "text/plain; charset=utf-8") =>
        AnswerAsync(context, code, Encoding.UTF8.GetBytes(text), type);

    private static Task AnswerAsync(HttpContext context, int code, byte[] bytes, string type)
    {
        context.Response.StatusCode = code;
        context.Response.ContentType = type;
        context.Response.ContentLength = bytes.Length;
        context.Response.Headers.CacheControl = "no-store";
        return HttpMethods.IsHead(context.Request.Method) ? Task.CompletedTask
            : context.Response.Body.WriteAsync(bytes, context.RequestAborted).AsTask();
    }
}
