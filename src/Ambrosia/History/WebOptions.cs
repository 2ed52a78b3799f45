using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Page;
using Ambrosia.Inspection;
using Ambrosia.Inspection.Text;

namespace Ambrosia.Cli.History;

/// <summary><c>--web</c>: the page for going back in time, served to browsers of this machine until the command is ended.</summary>
internal sealed class WebOptions(Places places, Terminal terminal, TimeProvider time)
{
    private readonly Option<string?> _web = new("--web")
    {
        Description = "Serve a page about the log instead of a prompt. ADDRESS is one of this machine; default: 127.0.0.1 and any free "
            + "port. Without an app it only shows.",
        HelpName = "ADDRESS",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<string[]> _peers = new("--peer-log")
    {
        Description = "With --web: folder of another instance's log, so that messages can be followed there. Logs in the same store, or "
            + "beside the one given, are found anyway.",
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
    public async Task<int> ServeAsync(ParseResult parsed, LogOptions log, MethodNames names, IPageSession? session,
        CancellationToken cancellationToken)
    {
        EndPointName address = LocalPage.Address("--web", parsed.GetValue(_web));
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
            Waiting = stop => AskAsync(coordinator, "waiting", stop),
            Metrics = stop => AskAsync(coordinator, "metrics", stop),
            Session = session,
        });
        return await LocalPage.ServeAsync(address, "--web", PageEndpoints.Root, page.HandleAsync, terminal, time, cancellationToken);
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
}
