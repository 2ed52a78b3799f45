using System.Globalization;
using System.Text.Json;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Metrics;
using Ambrosia.CoordinatorHost.Page;
using Ambrosia.Inspection;
using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;
using Microsoft.AspNetCore.Http;
using static Ambrosia.CoordinatorHost.Admin.WebAnswer;

namespace Ambrosia.CoordinatorHost.Admin;

/// <summary>
/// The requests of the admin address. It listens on this machine only, refuses what a web page in somebody's browser could
/// send there (a foreign Host, any Origin), and answers only to the token. What clients without it may ask is named one by
/// one: a request that is added later needs the token.
/// </summary>
internal sealed class AdminEndpoints
{
    private readonly ICoordinatorStatus _status;
    private readonly EndPointName _endPoint;
    private readonly BearerToken _token;
    private readonly QueryEndpoints _queries;
    private readonly EffectEndpoints _effects;
    private readonly HealthEndpoints _health;
    private readonly WaitingEndpoint _waiting;
    private readonly PageEndpoints? _page;

    public AdminEndpoints(
        ICoordinatorStatus status, MetricsCollector metrics, EndPointName endPoint, string token, PageLogs? logs, TimeProvider time)
    {
        (_status, _endPoint) = (status, endPoint);
        _token = new BearerToken(
            token,
            "show what the file of --admin-token-file holds: 'Authorization: Bearer TOKEN', or "
            + $"{PageEndpoints.Root}#token=TOKEN in a browser");
        _queries = new QueryEndpoints(status, time);
        _effects = new EffectEndpoints(status, time);
        _health = new HealthEndpoints(status, metrics);
        var names = new LiveMethodNames(logs?.Folder, time);
        _waiting = new WaitingEndpoint(status, names, time);
        _page = logs is null ? null : MakePage(logs, metrics, names);
    }

    public Task HandleAsync(HttpContext context)
    {
        if (_endPoint.Scheme == EndPointScheme.Tcp && !LocalWebServer.IsFromThisMachine(context.Request))
        {
            return AnswerAsync(context, StatusCodes.Status403Forbidden, "only requests from this machine, and none from web pages\n");
        }

        if (!IsForAnybody(context.Request.Path.Value) && !_token.Admits(context.Request))
        {
            return _token.RefuseAsync(context);
        }

        return (context.Request.Method, context.Request.Path.Value) switch
        {
            ("GET" or "HEAD", "/") when _page is not null => RedirectAsync(context),
            (_, var path) when _page is not null && path?.StartsWith(PageEndpoints.Root, StringComparison.Ordinal) == true =>
                _page.HandleAsync(context),
            (_, "/healthz" or "/readyz" or "/metrics") => _health.HandleAsync(context),
            ("GET" or "HEAD", "/status") => StatusAsync(context),
            ("GET" or "HEAD", "/deadletters") => DeadLettersAsync(context, null),
            ("GET" or "HEAD", "/state") => StateAsync(context),
            ("GET" or "HEAD", "/waiting") => _waiting.HandleAsync(context),
            (_, var path) when path?.StartsWith(QueryEndpoints.Root, StringComparison.Ordinal) == true => _queries.HandleAsync(context),
            (_, var path) when path?.StartsWith(EffectEndpoints.Root, StringComparison.Ordinal) == true => _effects.HandleAsync(context),
            ("POST", "/checkpoint") => CheckpointAsync(context),
            ("POST", "/deadletters/retry") => ChangeAsync(context, DeadLetterVerb.Retry, default),
            ("POST", "/drain") => DrainAsync(context),
            (_, "/status" or "/state" or "/deadletters" or "/waiting") => WrongMethodAsync(context, "GET"),
            (_, "/checkpoint" or "/drain" or "/deadletters/retry") => WrongMethodAsync(context, "POST"),
            var (method, path) when path?.StartsWith("/deadletters/", StringComparison.Ordinal) == true =>
                DeadLetterAsync(context, method, path.Split('/')),
            _ => AnswerAsync(context, StatusCodes.Status404NotFound,
                "GET /page/, /healthz, /readyz, /status, /waiting, /metrics, /state, /query/METHOD, /deadletters; POST /checkpoint, "
                + "/drain\n"),
        };
    }

    // Probes, what Prometheus reads, and the page's own files, which are the same for every instance.
    private bool IsForAnybody(string? path) =>
        path is "/healthz" or "/readyz" or "/metrics" || (_page is not null && (path is "/" || PageEndpoints.IsFile(path)));

    private Task StatusAsync(HttpContext context) =>
        AnswerAsync(context, StatusCodes.Status200OK, StatusText(_status), "application/json; charset=utf-8");

    private PageEndpoints MakePage(PageLogs logs, MetricsCollector metrics, LiveMethodNames names) =>
        new(logs, new PageAnswers(() => names.Value), new PageSources
        {
            Status = _ => Task.FromResult<string?>(StatusText(_status)),
            Metrics = async _ => await metrics.RenderAsync(),
            Waiting = async stop => await _waiting.TextAsync(stop),
            LookForNames = log => names.AskAsync(log.ReadContractsAsync),
        });

    private static string StatusText(ICoordinatorStatus status) =>
        JsonSerializer.Serialize(status.Snapshot(), StatusJson.Default.CoordinatorStatus) + "\n";

    private async Task StateAsync(HttpContext context)
    {
        try
        {
            AppState state = await _status.StateAsync(context.Request.Query.ContainsKey("hash"), context.RequestAborted);
            await AnswerAsync(context, StatusCodes.Status200OK, string.Create(CultureInfo.InvariantCulture,
                $"{{\"lsn\":{state.Lsn},\"app\":{state.Json}}}\n"), "application/json; charset=utf-8");
        }
        catch (InvalidOperationException error)
        {
            await RefuseAsync(context, "no state: ", error);
        }
    }

    private async Task CheckpointAsync(HttpContext context)
    {
        try
        {
            ulong lsn = await _status.CheckpointAsync(context.RequestAborted);
            await AnswerAsync(context, StatusCodes.Status200OK, string.Create(CultureInfo.InvariantCulture, $"checkpoint at {lsn}\n"));
        }
        catch (InvalidOperationException error)
        {
            await RefuseAsync(context, "no checkpoint: ", error);
        }
        catch (IOException error)
        {
            await AnswerAsync(context, StatusCodes.Status507InsufficientStorage, $"no checkpoint: {error.Message}\n");
        }
    }

    // /deadletters/17:3 and /deadletters/17:3/quarantine, redrive or drop.
    private Task DeadLetterAsync(HttpContext context, string method, string[] path)
    {
        if (!MessagePosition.TryParse(path[2], out MessagePosition position))
        {
            return AnswerAsync(context, StatusCodes.Status404NotFound, "name a message as in /deadletters/17:3\n");
        }

        if (path.Length == 3)
        {
            return method is "GET" or "HEAD" ? DeadLettersAsync(context, position) : WrongMethodAsync(context, "GET");
        }

        if (path.Length != 4 || !Enum.TryParse(path[3], ignoreCase: true, out DeadLetterVerb verb) || char.IsAsciiDigit(path[3][0])
            || verb is DeadLetterVerb.Retry or DeadLetterVerb.QuarantineForced)
        {
            return AnswerAsync(context, StatusCodes.Status404NotFound, "POST /deadletters/17:3/quarantine, redrive or drop\n");
        }

        if (method != "POST")
        {
            return WrongMethodAsync(context, "POST");
        }

        string force = context.Request.Query["force"].ToString();
        return force.Length == 0 ? ChangeAsync(context, verb, position)
            : force == "true" && verb == DeadLetterVerb.Quarantine ? ChangeAsync(context, DeadLetterVerb.QuarantineForced, position)
            : AnswerAsync(
                context, StatusCodes.Status400BadRequest,
                "force is for quarantine only, as in POST /deadletters/17:3/quarantine?force=true\n");
    }

    private async Task DeadLettersAsync(HttpContext context, MessagePosition? only)
    {
        try
        {
            DeadLettersStatus letters = await _status.DeadLettersAsync(only, context.RequestAborted);
            bool found = only is null || letters.Letters.Count > 0;
            await (found
                ? AnswerAsync(context, StatusCodes.Status200OK,
                    JsonSerializer.Serialize(letters, StatusJson.Default.DeadLettersStatus) + "\n", "application/json; charset=utf-8")
                : AnswerAsync(context, StatusCodes.Status404NotFound, $"there is no dead letter {only}\n"));
        }
        catch (InvalidOperationException error)
        {
            await RefuseAsync(context, "", error);
        }
    }

    private async Task ChangeAsync(HttpContext context, DeadLetterVerb verb, MessagePosition position)
    {
        try
        {
            await AnswerAsync(context, StatusCodes.Status200OK,
                await _status.ChangeDeadLetterAsync(verb, position, context.RequestAborted) + "\n");
        }
        catch (InvalidOperationException error)
        {
            await RefuseAsync(context, "", error);
        }
    }

    private Task DrainAsync(HttpContext context)
    {
        try
        {
            _status.RequestDrain("asked for at the admin address");
            return AnswerAsync(context, StatusCodes.Status202Accepted, "draining\n");
        }
        catch (NotServingException error)
        {
            return RefuseAsync(context, "", error);
        }
    }

    private static Task RedirectAsync(HttpContext context)
    {
        context.Response.Redirect(PageEndpoints.Root);
        return Task.CompletedTask;
    }
}
