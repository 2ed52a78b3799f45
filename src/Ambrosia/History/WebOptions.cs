using System.CommandLine;
using System.Security.Cryptography;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.CoordinatorHost.Page;
using Ambrosia.Inspection;
using Ambrosia.Inspection.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.Cli.History;

/// <summary><c>--web</c>: the page for going back in time, served to browsers of this machine until the command is ended.</summary>
internal sealed class WebOptions(Places places, Terminal terminal, TimeProvider time)
{
    private readonly Option<string?> _web = new("--web")
    {
        Description = "Serve a page about the log instead of a prompt. ADDRESS is one of this machine; default: 127.0.0.1 and any free port. Without an app it only shows.",
        HelpName = "ADDRESS",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<string[]> _peers = new("--peer-log")
    {
        Description = "With --web: folder of another instance's log, so that messages can be followed there. Logs in the same store, or beside the one given, are found anyway.",
        HelpName = "FOLDER",
    };

    /// <summary>Puts them on a command.</summary>
    public void AddTo(Command command)
    {
        command.Options.Add(_web);
        command.Options.Add(_peers);
    }

    /// <summary>Whether the page is asked for.</summary>
    public bool IsWanted(ParseResult parsed) => parsed.GetResult(_web) is not null;

    /// <summary>Serves the page until the command is ended.</summary>
    public async Task<int> ServeAsync(ParseResult parsed, LogOptions log, MethodNames names, IPageSession? session, CancellationToken cancellationToken)
    {
        EndPointName address = Address(parsed);
        var peers = new PeerLogs(places, parsed, log, parsed.GetValue(_peers) ?? [], time);
        await peers.RequireNamedAsync();
        await using var logs = new PageLogs(peers.OpenMainAsync, peers.Names, peers.OpenAsync);
        _ = await logs.FindAsync(null, cancellationToken); // A log that is not there is said here, not in the browser.
        using AdminClient? coordinator = log.Folder(parsed) is null || places.IsAdminGiven(parsed)
            ? await places.ConnectAsync(parsed, log.Instance(parsed))
            : null;
        var page = new PageEndpoints(logs, new PageAnswers(() => names), new PageSources
        {
            Status = stop => AskAsync(coordinator, "status", stop),
            Metrics = stop => AskAsync(coordinator, "metrics", stop),
            Session = session,
        });
        string token = RandomNumberGenerator.GetHexString(64);
        var access = new BearerToken(token, "open the page by the address that the command has printed: its end is the token");
        await using LocalWebServer server = await StartAsync(address, context => HandleAsync(page, access, context), cancellationToken);
        terminal.Line($"The page is at http://{server.EndPoint.Authority}{PageEndpoints.Root}#token={token} (Ctrl+C ends it)");
        try
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, time, cancellationToken);
        }
        catch (OperationCanceledException)
        {
            // Ctrl+C is how it is meant to end.
        }

        return (int)CommandExit.Done;
    }

    private async Task<LocalWebServer> StartAsync(EndPointName address, RequestDelegate handle, CancellationToken cancellationToken)
    {
        try
        {
            return await LocalWebServer.StartAsync(address, "--web", handle, time, NullLoggerProvider.Instance, cancellationToken);
        }
        catch (CoordinatorException error)
        {
            throw new CommandException(CommandExit.Failed, error.Message);
        }
    }

    private EndPointName Address(ParseResult parsed)
    {
        string text = parsed.GetValue(_web) is { Length: > 0 } given ? given : "127.0.0.1:0";
        if (!EndPointName.TryParse(text, out EndPointName? address, out string? reason))
        {
            throw new CommandException(CommandExit.Usage, $"--web {text}: {reason}");
        }

        return address is { Scheme: EndPointScheme.Tcp, IsLocal: true }
            ? address
            : throw new CommandException(
                CommandExit.Usage,
                $"--web {text}: nothing is encrypted, so the page is for this machine's own addresses only; 'ssh -L' brings it elsewhere");
    }

    private static async Task<string?> AskAsync(AdminClient? coordinator, string path, CancellationToken cancellationToken)
    {
        try
        {
            return coordinator is null ? null : await coordinator.TryGetAsync(path, cancellationToken);
        }
        catch (TokenRefusedException refused)
        {
            throw new IOException(refused.Message, refused); // An answer of the page.
        }
    }

    private static async Task HandleAsync(PageEndpoints page, BearerToken access, HttpContext context)
    {
        string path = context.Request.Path.Value ?? "";
        if (!LocalWebServer.IsFromThisMachine(context.Request))
        {
            context.Response.StatusCode = StatusCodes.Status403Forbidden;
            await context.Response.WriteAsync("only requests from this machine, and none from other web pages\n");
        }
        else if (path != "/" && !PageEndpoints.IsFile(path) && !access.Admits(context.Request))
        {
            await access.RefuseAsync(context);
        }
        else if (path.StartsWith(PageEndpoints.Root, StringComparison.Ordinal))
        {
            await page.HandleAsync(context);
        }
        else
        {
            context.Response.Redirect(PageEndpoints.Root);
        }
    }
}
