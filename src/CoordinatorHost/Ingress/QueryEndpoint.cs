using System.Buffers;
using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json;
using System.Text.Unicode;
using Ambrosia.CoordinatorHost.Shapes;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// <c>GET /v1/immortals/NAME/METHOD?account=alice</c>: asks a query, which changes nothing and is not in the log. The primary answers,
/// because its app has told what its methods take. With <c>Accept: text/event-stream</c> it is watched.
/// </summary>
internal sealed class QueryEndpoint(IngressCalls calls, QueryWatches watches, IngressLimits limits, TimeProvider time)
{
    /// <summary>The header that names the record after which the answer was true.</summary>
    public const string RecordHeader = "Ambrosia-Record";

    private const string Arguments = "args", AtLeast = "at-least";
    private static readonly HashSet<string> s_own = [Arguments, AtLeast, "wait", "mode"]; // What is no parameter of a method.

    public async Task HandleAsync(HttpContext context, IngressRequest request, IngressCaller caller)
    {
        IngressOutcome outcome;
        try
        {
            if (WatchStream.IsWanted(context.Request))
            {
                await WatchAsync(context, request, caller);
                return;
            }

            (MethodShape method, byte[] packed) = Read(context, request, caller, out ulong atLeast);
            (outcome, ulong record) = await calls.AskAsync(caller, method, packed, atLeast, request.Wait, context.RequestAborted);
            calls.SayRecord(context.Response, record);
        }
        catch (ProblemException refused)
        {
            outcome = IngressOutcome.Of(refused.Problem);
            if (refused.Problem.Status == StatusCodes.Status405MethodNotAllowed)
            {
                context.Response.Headers.Allow = "POST";
            }
        }

        await IngressAnswer.TellAsync(context, outcome, null);
    }

    // A browser that begins again takes 503 for the end, so a client that does not say how long it waits is held while an app comes back.
    private async Task WatchAsync(HttpContext context, IngressRequest request, IngressCaller caller)
    {
        long began = time.GetTimestamp();
        while (true)
        {
            try
            {
                (MethodShape method, byte[] packed) = Read(context, request, caller, out ulong atLeast);
                using WatchPlace place = watches.Enter(caller.Name, method, packed);
                await new WatchStream(context, place, calls, limits, time).TellEventsAsync(
                    Math.Max(atLeast, WatchStream.LastSeen(context.Request)), request.Wait);
                return;
            }
            catch (ProblemException away) when (
                away.Problem.Status == StatusCodes.Status503ServiceUnavailable && !context.Request.Query.ContainsKey("wait")
                && time.GetElapsedTime(began) < limits.WatchPatience)
            {
                await Task.Delay(limits.WatchPause, time, context.RequestAborted);
            }
        }
    }

    private (MethodShape Method, byte[] Packed) Read(HttpContext context, IngressRequest request, IngressCaller caller, out ulong atLeast)
    {
        MethodShape[] methods = calls.QueriesFor(request.Path[3], null, caller);
        RequireText(context.Request.QueryString);
        return IngressCalls.ReadQuery(methods, Read(context.Request.Query, methods, out atLeast));
    }

    // Bytes that are no UTF-8 would stand in a text as percent signs and digits.
    private static void RequireText(QueryString query)
    {
        byte[] sent = Encoding.UTF8.GetBytes(query.Value ?? "");
        if (!Utf8.IsValid(WebUtility.UrlDecodeToBytes(sent, 0, sent.Length)))
        {
            throw IngressCalls.NotUnderstood("the URL is not UTF-8");
        }
    }

    /// <summary>The arguments as a JSON object: <c>args</c>, or what has the names of parameters.</summary>
    private static byte[] Read(IQueryCollection query, MethodShape[] methods, out ulong atLeast)
    {
        atLeast = 0;
        if (query[AtLeast].ToString() is { Length: > 0 } lsn
            && !ulong.TryParse(lsn, NumberStyles.None, CultureInfo.InvariantCulture, out atLeast))
        {
            throw IngressCalls.NotUnderstood($"{AtLeast} is the number of a record");
        }

        KeyValuePair<string, StringValues>[] given = [.. query.Where(static each => !s_own.Contains(each.Key))];
        string all = query[Arguments].ToString();
        if (all.Length > 0)
        {
            return given.Length == 0 ? Encoding.UTF8.GetBytes(all)
                : throw IngressCalls.NotUnderstood(
                    $"{Arguments} has all arguments, so {JsonPath.Shown(given[0].Key)} cannot stand beside it");
        }

        var output = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(output))
        {
            json.WriteStartObject();
            foreach ((string name, StringValues values) in given)
            {
                json.WritePropertyName(name);
                string value = values.Count == 1 ? values.ToString()
                    : throw IngressCalls.NotUnderstood($"{JsonPath.Shown(name)} stands twice");
                Write(json, value, IsText(methods, name));
            }

            json.WriteEndObject();
        }

        return output.WrittenSpan.ToArray();
    }

    private static bool IsText(MethodShape[] methods, string name) => Array.Exists(
        methods, method => method.Parameters.Any(
            parameter => parameter.Name.Equals(name, StringComparison.OrdinalIgnoreCase) && IsText(parameter.Type)));

    // Those of which a text may look like JSON of another kind, as a version 1.2 or the character 5.
    private static bool IsText(TypeShape type) => (type is OptionalShape optional ? optional.Value : type) is ScalarShape { Kind: var kind }
        && kind is ScalarKind.Char or ScalarKind.Rune or ScalarKind.Text or ScalarKind.Uri or ScalarKind.Version or ScalarKind.Bytes;

    // Such a text stands as it is; of other types what is no JSON, such as a date, is a text as well.
    private static void Write(Utf8JsonWriter json, string value, bool isText)
    {
        if (!isText)
        {
            try
            {
                using JsonDocument parsed = JsonDocument.Parse(value);
                parsed.RootElement.WriteTo(json);
                return;
            }
            catch (JsonException)
            {
                // It is a text.
            }
            catch (InvalidOperationException)
            {
                throw IngressCalls.NotUnderstood("a text of the URL holds half a character");
            }
        }

        json.WriteStringValue(value);
    }
}
