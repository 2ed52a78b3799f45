using System.Net;
using System.Net.Http.Headers;
using System.Text.Json;
using System.Text.Json.Nodes;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Cli.Commands;

/// <summary>
/// Asks a coordinator at its admin address, and shows it the token of a file, read at each request: the coordinator may make it later.
/// </summary>
internal sealed class AdminClient : IDisposable
{
    // What a coordinator says of itself it says at once, however busy it is. One that is stopped in a debugger never does.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    private readonly HttpClient _http;
    private readonly EndPointName _address;

    private readonly string _tokenFile;

    /// <summary>A client for this address.</summary>
    /// <param name="address">Where the coordinator listens.</param>
    /// <param name="tokenFile">Holds what it asks for; empty if it should ask for nothing.</param>
    public AdminClient(EndPointName address, string tokenFile)
    {
        (_address, _tokenFile) = (address, tokenFile);
        bool unix = address.Scheme == EndPointScheme.Unix;
        var handler = new SocketsHttpHandler();
        if (unix)
        {
            handler.ConnectCallback = (_, cancellation) => UnixConnection.ConnectAsync(address.Host, cancellation);
        }

        _http = new HttpClient(new SocketErrorHandler(handler)) { BaseAddress = UriOf(address), Timeout = TimeSpan.FromMinutes(10) };
    }

    /// <summary>What the coordinator says of itself; null when nobody answers there, or something that is none.</summary>
    /// <exception cref="TokenRefusedException">It asks for another token.</exception>
    public async Task<CoordinatorStatus?> TryStatusAsync(CancellationToken cancellationToken)
    {
        string? json = await TryGetAsync("status", cancellationToken);
        try
        {
            return json is null ? null : JsonSerializer.Deserialize(json, StatusJson.Default.CoordinatorStatus);
        }
        catch (JsonException)
        {
            return null; // Another program has the port that was named.
        }
    }

    /// <summary>What its app waits for; null when it does not say, as an earlier release does.</summary>
    /// <exception cref="TokenRefusedException">It asks for another token.</exception>
    public async Task<WaitingStatus?> TryWaitingAsync(CancellationToken cancellationToken)
    {
        string? json = await TryGetAsync("waiting", cancellationToken);
        try
        {
            return json is null ? null : JsonSerializer.Deserialize(json, StatusJson.Default.WaitingStatus);
        }
        catch (JsonException)
        {
            return null;
        }
    }

    /// <summary>What it answers to a GET; null when nobody answers there, or not for 5 seconds.</summary>
    /// <exception cref="TokenRefusedException">It asks for another token.</exception>
    public async Task<string?> TryGetAsync(string path, CancellationToken cancellationToken)
    {
        using CancellationTokenSource patience = PatienceWith(cancellationToken);
        try
        {
            using HttpResponseMessage answer = await AskAsync(HttpMethod.Get, path, patience.Token);
            return answer.IsSuccessStatusCode ? await answer.Content.ReadAsStringAsync(patience.Token) : null;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return null;
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
        using CancellationTokenSource patience = PatienceWith(cancellationToken);
        string answer = await SendAsync(HttpMethod.Get, path, patience.Token, cancellationToken);
        return Read(() => JsonSerializer.Deserialize(answer, StatusJson.Default.DeadLettersStatus));
    }

    /// <summary>Carries out a decision and returns the coordinator's sentence.</summary>
    /// <exception cref="CommandException">It does not answer, or refuses.</exception>
    public Task<string> DecideAsync(string decision, CancellationToken cancellationToken) =>
        SendAsync(HttpMethod.Post, $"deadletters/{decision}", cancellationToken);

    /// <summary>Asks the app a query; returns the coordinator's JSON, an object.</summary>
    /// <param name="request">Path and query of the request.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <exception cref="CommandException">It does not answer, or has no result.</exception>
    public async Task<string> QueryAsync(string request, CancellationToken cancellationToken)
    {
        string answer = await SendAsync(HttpMethod.Get, request, cancellationToken);
        Read(() => JsonNode.Parse(answer) as JsonObject);
        return answer;
    }

    /// <summary>Has something done and returns the coordinator's sentence.</summary>
    /// <param name="request">Path and query of the request.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <exception cref="CommandException">It does not answer, or refuses.</exception>
    public Task<string> PostAsync(string request, CancellationToken cancellationToken) =>
        SendAsync(HttpMethod.Post, request, cancellationToken);

    public void Dispose() => _http.Dispose();

    // What another program answers that has the port that was named.
    private T Read<T>(Func<T?> read)
        where T : class
    {
        try
        {
            return read() ?? throw new JsonException("it is empty");
        }
        catch (JsonException error)
        {
            throw new CommandException(CommandExit.Unavailable, $"What answers at {_address} is no coordinator: {error.Message}");
        }
    }

    private static Uri UriOf(EndPointName address)
    {
        string text = address.Scheme == EndPointScheme.Unix ? "http://localhost/" : $"http://{address.Authority}/";
        return Uri.TryCreate(text, UriKind.Absolute, out Uri? uri)
            ? uri
            : throw new CommandException(CommandExit.Usage, $"{address} is not an address that can be asked: its host is no name.");
    }

    private static CancellationTokenSource PatienceWith(CancellationToken cancellationToken)
    {
        var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        patience.CancelAfter(s_patience);
        return patience;
    }

    private Task<string> SendAsync(HttpMethod method, string path, CancellationToken cancellationToken) =>
        SendAsync(method, path, cancellationToken, cancellationToken);

    private async Task<string> SendAsync(HttpMethod method, string path, CancellationToken patience, CancellationToken cancellationToken)
    {
        try
        {
            using HttpResponseMessage answer = await AskAsync(method, path, patience);
            string text = (await answer.Content.ReadAsStringAsync(patience)).Trim();
            return answer.IsSuccessStatusCode ? text : throw new CommandException(CommandExit.Failed, text);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new CommandException(CommandExit.Unavailable,
                $"The coordinator at {_address} takes the question and does not answer: it is stopped, as in a debugger, or its "
                + $"machine has "
                    + "no time for it.");
        }
        catch (HttpRequestException error)
        {
            throw error.InnerException as CommandException
                ?? (error.HttpRequestError == HttpRequestError.ConnectionError ? NobodyAnswers()
                : new CommandException(
                    CommandExit.Unavailable, $"The coordinator at {_address} did not finish its answer: {error.Message}"));
        }
    }

    private CommandException NobodyAnswers() => new(
        CommandExit.Unavailable, $"No coordinator answers at {_address}. 'ambrosia status' tells whether the instance runs; if it was not "
            + "started by 'ambrosia run', name its admin address with --admin.");

    private async Task<HttpResponseMessage> AskAsync(HttpMethod method, string path, CancellationToken cancellationToken)
    {
        (string token, string objection) = ReadToken();
        using var request = new HttpRequestMessage(method, new Uri(path, UriKind.Relative));
        request.Headers.Authorization = token.Length > 0 ? new AuthenticationHeaderValue("Bearer", token) : null;
        HttpResponseMessage answer = await _http.SendAsync(request, cancellationToken);
        if (answer.StatusCode == HttpStatusCode.Unauthorized)
        {
            answer.Dispose();
            throw new TokenRefusedException(
                $"The coordinator at {_address} asks for its token: {objection}. "
                + "Name the coordinator's own file with --admin-token-file, as its user or as root.");
        }

        return answer;
    }

    // The token, or none; and what is wrong with it if it does not help. A file that cannot be read is told to nobody who is answered.
    private (string Token, string Objection) ReadToken()
    {
        if (_tokenFile.Length == 0)
        {
            return ("", "none is known for this address");
        }

        try
        {
            string token = File.ReadAllText(_tokenFile).Trim();
            bool canBeShown = token.Length > 0 && token.All(static sign => sign is > ' ' and <= '~');
            return canBeShown ? (token, $"that in {_tokenFile} is another one") : ("", $"{_tokenFile} holds none");
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return ("", error.Message.TrimEnd('.'));
        }
    }
}
