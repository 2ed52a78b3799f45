using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;
using Microsoft.AspNetCore.Http;
using static Ambrosia.CoordinatorHost.Admin.WebAnswer;

namespace Ambrosia.CoordinatorHost.Admin;

/// <summary>
/// <c>GET /query/METHOD?args=["alice"]&amp;at-least=17&amp;wait=5s</c>: asks the app, on a primary or a secondary, and answers with the
/// record after which the answer was true.
/// </summary>
internal sealed class QueryEndpoints(ICoordinatorStatus status, TimeProvider time)
{
    /// <summary>Where the requests begin.</summary>
    public const string Root = "/query/";

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_most = TimeSpan.FromMinutes(5);

    public async Task HandleAsync(HttpContext context)
    {
        if (!HttpMethods.IsGet(context.Request.Method))
        {
            await WrongMethodAsync(context, "GET");
            return;
        }

        IQueryCollection query = context.Request.Query;
        if (!TryRead(context.Request.Path.Value![Root.Length..], query, out AppQuery? question, out TimeSpan patience, out string reason))
        {
            await AnswerAsync(context, StatusCodes.Status400BadRequest, reason + "\n");
            return;
        }

        using var deadline = new CancellationTokenSource(patience, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(deadline.Token, context.RequestAborted);
        try
        {
            await TellAsync(context, await status.QueryAsync(question!, either.Token));
        }
        catch (InvalidOperationException error)
        {
            await RefuseAsync(context, "no answer: ", error);
        }
        catch (OperationCanceledException) when (!context.RequestAborted.IsCancellationRequested)
        {
            ulong at = status.Snapshot().App.Lsn;
            await AnswerAsync(context, StatusCodes.Status504GatewayTimeout, string.Create(
                CultureInfo.InvariantCulture,
                $"{ProcessErrors.QueryTooLate} the app did not answer within {patience.TotalSeconds:0.###} s | it is at record {at}, "
                + $"{question!.AtLeast} was asked for | nothing was changed | ask again, ask another replica, or wait longer "
                + $"(wait=30s)\n"));
        }
    }

    private static bool TryRead(string method, IQueryCollection query, out AppQuery? question, out TimeSpan patience, out string reason)
    {
        question = null;
        patience = s_patience;
        ulong atLeast = 0;
        if (method.Length is 0 or > 200)
        {
            reason = "name a method, as in /query/BalanceOf?args=[\"alice\"]";
            return false;
        }

        if (query["at-least"].ToString() is
            { Length: > 0 } lsn && !ulong.TryParse(lsn, NumberStyles.None, CultureInfo.InvariantCulture, out atLeast))
        {
            reason = $"at-least={lsn} is no LSN";
            return false;
        }

        if (query["wait"].ToString() is
            { Length: > 0 } wait && (!Duration.TryParse(wait, out patience) || patience <= TimeSpan.Zero || patience > s_most))
        {
            reason = $"wait={wait} is no time of at most 5m";
            return false;
        }

        try
        {
            JsonNode? arguments = JsonNode.Parse(query["args"].ToString() is { Length: > 0 } text ? text : "[]");
            reason = arguments is JsonArray ? "" : "args must be a JSON array, such as args=[\"alice\",5]";
            question = arguments is JsonArray values ? Ask(method, values, atLeast) : null;
        }
        catch (JsonException error)
        {
            reason = $"args is no JSON: {error.Message}";
        }
        catch (Exception error) when (error is InvalidOperationException or ArgumentException)
        {
            // Read only when it is converted: half a character, or a name that stands twice in an object.
            reason = $"args cannot be sent: {error.Message}";
        }

        return question is not null;
    }

    // A call of the reserved method, which names the one that is meant: ids are hashes of signatures, and only the app knows those.
    private static AppQuery Ask(string method, JsonArray arguments, ulong atLeast) =>
        AppQuery.Of(ReservedMethods.QueryByName, JsonMessagePack.ToBytes(new JsonArray(method, arguments)), atLeast);

    private Task TellAsync(HttpContext context, AppAnswer answer)
    {
        string said = answer.Status == QueryStatus.Answered ? "" : Encoding.UTF8.GetString(answer.Body);
        return answer.Status switch
        {
            QueryStatus.Answered => AnswerAsync(context, StatusCodes.Status200OK, Text(answer), "application/json; charset=utf-8"),
            QueryStatus.Unknown => AnswerAsync(
                context, StatusCodes.Status404NotFound,
                $"{ProcessErrors.NoSuchQuery} the app answers no such query | {context.Request.Path} | nothing was changed | "
                + $"{(said.Length > 0 ? said : "its binding has no queries")}\n"),
            _ => AnswerAsync(context, StatusCodes.Status422UnprocessableEntity,
                $"{ProcessErrors.QueryFailed} the query failed | {context.Request.Path} | nothing was changed | {said}\n"),
        };
    }

    private string Text(AppAnswer answer) => new JsonObject
    {
        ["lsn"] = answer.Lsn,
        ["role"] = status.Snapshot().Role,
        ["result"] = MessagePackText.ToJson(answer.Body),
    }.ToJsonString() + "\n";
}
