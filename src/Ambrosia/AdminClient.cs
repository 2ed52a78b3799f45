using System.Text.Json;
using Ambrosia.ImmortalCoordinator.Admin;
using Ambrosia.ImmortalCoordinator.Transport;

namespace Ambrosia.Cli;

/// <summary>Asks a coordinator at its admin address.</summary>
internal sealed class AdminClient : IDisposable
{
    private readonly HttpClient _http;
    private readonly EndPointName _address;

    public AdminClient(EndPointName address)
    {
        _address = address;
        bool unix = address.Scheme == EndPointScheme.Unix;
        var handler = new SocketsHttpHandler();
        if (unix)
        {
            handler.ConnectCallback = (_, cancellation) => UnixConnection.ConnectAsync(address.Host, cancellation);
        }

        _http = new HttpClient(handler) { BaseAddress = new Uri(unix ? "http://localhost/" : $"http://{address.Host}:{address.Port}/"), Timeout = TimeSpan.FromMinutes(10) };
    }

    /// <summary>What the coordinator says of itself; null when nobody answers there.</summary>
    public async Task<CoordinatorStatus?> TryStatusAsync(CancellationToken cancellationToken)
    {
        string? json = await TryGetAsync("status", cancellationToken);
        return json is null ? null : JsonSerializer.Deserialize(json, StatusJson.Default.CoordinatorStatus);
    }

    /// <summary>What it answers to a GET; null when nobody answers there.</summary>
    public async Task<string?> TryGetAsync(string path, CancellationToken cancellationToken)
    {
        try
        {
            return await _http.GetStringAsync(new Uri(path, UriKind.Relative), cancellationToken);
        }
        catch (HttpRequestException error)
        {
            return error.InnerException is CommandException refused ? throw refused : null;
        }
    }

    /// <summary>Takes a checkpoint and returns the coordinator's sentence.</summary>
    /// <exception cref="CommandException">It does not answer, or took none.</exception>
    public Task<string> CheckpointAsync(CancellationToken cancellationToken) => SendAsync(HttpMethod.Post, "checkpoint", cancellationToken);

    /// <summary>What killed or blocked the app, and the dead letters: all, or one with its bytes.</summary>
    /// <exception cref="CommandException">It does not answer, or there is no such letter.</exception>
    public async Task<DeadLettersStatus> DeadLettersAsync(string position, CancellationToken cancellationToken)
    {
        string path = position.Length == 0 ? "deadletters" : $"deadletters/{position}";
        return JsonSerializer.Deserialize(await SendAsync(HttpMethod.Get, path, cancellationToken), StatusJson.Default.DeadLettersStatus)!;
    }

    /// <summary>Carries out a decision and returns the coordinator's sentence.</summary>
    /// <exception cref="CommandException">It does not answer, or refuses.</exception>
    public Task<string> DecideAsync(string decision, CancellationToken cancellationToken) =>
        SendAsync(HttpMethod.Post, $"deadletters/{decision}", cancellationToken);

    /// <summary>Asks the app a query; returns the coordinator's JSON.</summary>
    /// <param name="request">Path and query of the request.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <exception cref="CommandException">It does not answer, or has no result.</exception>
    public Task<string> QueryAsync(string request, CancellationToken cancellationToken) => SendAsync(HttpMethod.Get, request, cancellationToken);

    public void Dispose() => _http.Dispose();

    private async Task<string> SendAsync(HttpMethod method, string path, CancellationToken cancellationToken)
    {
        try
        {
            using var request = new HttpRequestMessage(method, new Uri(path, UriKind.Relative));
            using HttpResponseMessage answer = await _http.SendAsync(request, cancellationToken);
            string text = (await answer.Content.ReadAsStringAsync(cancellationToken)).Trim();
            return answer.IsSuccessStatusCode ? text : throw new CommandException(CommandExit.Failed, text);
        }
        catch (HttpRequestException error)
        {
            throw error.InnerException as CommandException
                ?? new CommandException(CommandExit.Unavailable, error.HttpRequestError == HttpRequestError.ConnectionError
                ? $"No coordinator answers at {_address}. 'ambrosia status' tells whether the instance runs; if it was not started by 'ambrosia run', name its admin address with --admin."
                : $"The coordinator at {_address} did not finish its answer: {error.Message}");
        }
    }
}
