using System.CommandLine;
using System.Text.Json;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Operations;
using Ambrosia.CoordinatorHost.Page;
using Ambrosia.Protocol;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia top --web</c>: one page about all instances, with what may be done to each.</summary>
internal sealed class OverviewPage(Places places, Terminal terminal, TimeProvider time)
{
    private const string First = PageEndpoints.Root + "all.html";
    private static readonly JsonSerializerOptions s_json = new() { PropertyNamingPolicy = JsonNamingPolicy.CamelCase };
    private static readonly string[] s_decisions = ["quarantine", "redrive", "drop"];
    private static readonly TimeSpan s_fresh = TimeSpan.FromMilliseconds(500);
    private readonly InstanceLooks _looks = new(places);
    private readonly object _sync = new();
    private readonly Option<string?> _web = new("--web")
    {
        Description = "Serve a page about all instances instead. ADDRESS is one of this machine; default: 127.0.0.1 and any free port.",
        HelpName = "ADDRESS",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private Dictionary<string, TopLook> _last = [];
    private long? _looked;
    private Task<TopRow[]>? _looking;

    /// <summary>Puts the option on a command.</summary>
    public void AddTo(Command command) => command.Options.Add(_web);

    /// <summary>Whether the page is asked for.</summary>
    public bool IsWanted(ParseResult parsed) => parsed.GetResult(_web) is not null;

    /// <summary>Serves the page until the command is ended.</summary>
    public Task<int> ServeAsync(ParseResult parsed, CancellationToken cancellationToken) => LocalPage.ServeAsync(
        LocalPage.Address("--web", parsed.GetValue(_web)), "--web", First, context => HandleAsync(parsed, context), terminal, time,
        cancellationToken);

    private async Task HandleAsync(ParseResult parsed, HttpContext context)
    {
        PageEndpoints.Confine(context.Response.Headers);
        string path = context.Request.Path.Value![PageEndpoints.Root.Length..];
        string name = context.Request.Query["name"].ToString();
        CancellationToken gone = context.RequestAborted;
        try
        {
            await ((context.Request.Method, path) switch
            {
                ("GET", "api/instances") => AnswerAsync(context, await RowsAsync(parsed).WaitAsync(gone)),
                ("GET", "api/waiting") => AnswerAsync(context, await AskAsync(parsed, name, admin => admin.TryWaitingAsync(gone))
                    ?? new WaitingStatus { Reason = "this coordinator does not say" }),
                ("GET", "api/instance") => AnswerAsync(context, await OneAsync(parsed, name, gone)),
                ("POST", "api/checkpoint") => SaidAsync(context, AskAsync(parsed, name, admin => admin.CheckpointAsync(gone))),
                ("POST", "api/retry") => SaidAsync(context, AskAsync(parsed, name, admin => admin.DecideAsync("retry", gone))),
                ("POST", "api/deadletter") => SaidAsync(context, DecideAsync(parsed, name, context.Request.Query, gone)),
                ("GET" or "HEAD", _) when !path.StartsWith("api/", StringComparison.Ordinal) => PageEndpoints.FileAsync(context, path),
                _ => RefuseAsync(context, StatusCodes.Status404NotFound, "There is nothing of this name here."),
            });
        }
        catch (Exception error) when (error is CommandException or IOException or InstanceNameException)
        {
            await RefuseAsync(context, StatusCodes.Status409Conflict, error.Message);
        }
    }

    // However many look at the page, instances are asked twice a second at most, and once at a time.
    private Task<TopRow[]> RowsAsync(ParseResult parsed)
    {
        lock (_sync)
        {
            bool isFresh = _looked is { } last && time.GetElapsedTime(last) < s_fresh;
            return _looking is { } looking && (!looking.IsCompleted || isFresh) ? looking : _looking = LookAsync(parsed);
        }
    }

    private async Task<TopRow[]> LookAsync(ParseResult parsed)
    {
        Dictionary<string, TopLook> now = await _looks.AtAllAsync(parsed, CancellationToken.None);
        TimeSpan between = _looked is { } since ? time.GetElapsedTime(since) : TimeSpan.Zero;
        TopRow[] rows = [.. now.OrderBy(static look => look.Key, StringComparer.Ordinal)
            .Select(look => TopRow.Of(look.Key, _last.GetValueOrDefault(look.Key).Status, look.Value, between))];
        (_last, _looked) = (now, time.GetTimestamp());
        return rows;
    }

    private async Task<object> OneAsync(ParseResult parsed, string name, CancellationToken gone)
    {
        return await AskAsync(parsed, name, async admin =>
        {
            // Both at once: one that does not answer is waited for once.
            Task<CoordinatorStatus?> status = admin.TryStatusAsync(gone);
            Task<DeadLettersStatus> letters = admin.DeadLettersAsync("", gone);
            await Task.WhenAll(status, letters);
            return new { status = await status, letters = await letters };
        });
    }

    private async Task<string> DecideAsync(ParseResult parsed, string name, IQueryCollection query, CancellationToken gone)
    {
        string decision = query["decision"].ToString();
        return s_decisions.Contains(decision) && MessagePosition.TryParse(query["message"].ToString(), out MessagePosition message)
            ? await AskAsync(parsed, name, admin => admin.DecideAsync($"{message}/{decision}", gone))
            : throw new CommandException(CommandExit.Usage, "Name a message as in 17:3, and quarantine, redrive or drop.");
    }

    // A name becomes part of paths.
    private Task<T> AskAsync<T>(ParseResult parsed, string name, Func<AdminClient, Task<T>> ask) =>
        places.AskAsync(parsed, InstanceName.Validate(name), null, ask);

    private static async Task SaidAsync(HttpContext context, Task<string> said) => await AnswerAsync(context, new { said = await said });

    private static Task AnswerAsync<T>(HttpContext context, T answer)
    {
        context.Response.Headers.CacheControl = "no-store";
        return context.Response.WriteAsJsonAsync(answer, s_json, context.RequestAborted);
    }

    private static Task RefuseAsync(HttpContext context, int code, string sentence)
    {
        context.Response.StatusCode = code;
        context.Response.ContentType = "text/plain; charset=utf-8";
        return context.Response.WriteAsync(sentence + "\n", context.RequestAborted);
    }
}
