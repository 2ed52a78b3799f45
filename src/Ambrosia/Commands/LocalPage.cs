using System.Security.Cryptography;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.CoordinatorHost.Page;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.Cli.Commands;

/// <summary>A page that the command serves to browsers of this machine until it is ended.</summary>
internal static class LocalPage
{
    /// <summary>Where it is served: as given, else any free port.</summary>
    /// <exception cref="CommandException">It is no address of this machine.</exception>
    public static EndPointName Address(string option, string? given)
    {
        string text = given is { Length: > 0 } ? given : "127.0.0.1:0";
        if (!EndPointName.TryParse(text, out EndPointName? address, out string? reason))
        {
            throw new CommandException(CommandExit.Usage, $"{option} {text}: {reason}");
        }

        return address is { Scheme: EndPointScheme.Tcp, IsLocal: true }
            ? address
            : throw new CommandException(
                CommandExit.Usage,
                $"{option} {text}: nothing is encrypted, so the page is for this machine's own addresses only; 'ssh -L' brings "
                + $"it elsewhere");
    }

    /// <summary>Serves it until the command is ended.</summary>
    /// <param name="address">Where.</param>
    /// <param name="option">The option that asked for it.</param>
    /// <param name="first">Path of what is shown first.</param>
    /// <param name="answer">Answers requests below <see cref="PageEndpoints.Root"/>, after it was decided that they may be
    /// answered.</param>
    /// <param name="terminal">Where the address is said.</param>
    /// <param name="time">The clock.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async Task<int> ServeAsync(
        EndPointName address, string option, string first, RequestDelegate answer, Terminal terminal, TimeProvider time,
        CancellationToken cancellationToken)
    {
        string token = RandomNumberGenerator.GetHexString(64);
        var access = new BearerToken(token, "open the page by the address that the command has printed: its end is the token");
        await using LocalWebServer server = await StartAsync(
            address, option, context => HandleAsync(first, answer, access, context), time, cancellationToken);
        terminal.Line($"The page is at http://{server.EndPoint.Authority}{first}#token={token} (Ctrl+C ends it)");
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

    private static async Task<LocalWebServer> StartAsync(
        EndPointName address, string option, RequestDelegate handle, TimeProvider time, CancellationToken cancellationToken)
    {
        try
        {
            return await LocalWebServer.StartAsync(address, option, handle, time, NullLoggerProvider.Instance, cancellationToken);
        }
        catch (CoordinatorException error)
        {
            throw new CommandException(CommandExit.Failed, error.Message);
        }
    }

    private static async Task HandleAsync(string first, RequestDelegate answer, BearerToken access, HttpContext context)
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
            await answer(context);
        }
        else
        {
            context.Response.Redirect(first);
        }
    }
}
