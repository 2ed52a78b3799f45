using System.Text.Json;
using Ambrosia.Cli.Commands;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Cli.Clients;

/// <summary>Where a client's contract comes from: an address for calls from outside, or a file with what that has answered.</summary>
internal static class ContractSource
{
    private const int MostBytes = 16 << 20;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    /// <summary>What is offered, as OpenAPI.</summary>
    public const string OpenApi = "openapi.json";

    /// <summary>The same as a typed service of gRPC.</summary>
    public const string Proto = "service.proto";

    /// <summary>The document.</summary>
    /// <param name="source">An address or a file.</param>
    /// <param name="document">What it is called at an address.</param>
    /// <param name="tokenFile">File with the token to show; null for none.</param>
    /// <param name="stop">Gives up.</param>
    public static async Task<byte[]> ReadAsync(string source, string document, string? tokenFile, CancellationToken stop)
    {
        bool isAddress = Uri.TryCreate(source, UriKind.Absolute, out Uri? address) && address.Scheme is "http" or "https";
        if (isAddress)
        {
            return await AskAsync(address!, document, tokenFile, stop);
        }

        var file = new FileInfo(source);
        return !file.Exists ? throw new CommandException(CommandExit.NotFound,
                $"{source} is no file, and no address such as http://127.0.0.1:8080. Nothing was written.")
            : file.Length > MostBytes ? throw TooLarge(source) : await File.ReadAllBytesAsync(source, stop);
    }

    /// <summary>Why a document cannot be used.</summary>
    public static CommandException Unusable(string source, string document, string reason) => new(
        CommandExit.Failed,
        $"{source}: {reason}. Nothing was written. It takes what an address for calls from outside answers at /{document}.");

    private static async Task<byte[]> AskAsync(Uri address, string document, string? tokenFile, CancellationToken stop)
    {
        Uri target = address.AbsolutePath.EndsWith(document, StringComparison.Ordinal) ? address
            : new Uri($"{address.GetLeftPart(UriPartial.Path).TrimEnd('/')}/{document}");
        using var client = new HttpClient(new SocketErrorHandler(new SocketsHttpHandler()))
            { Timeout = s_patience, MaxResponseContentBufferSize = MostBytes };
        using var request = new HttpRequestMessage(HttpMethod.Get, target);
        if (tokenFile is not null)
        {
            request.Headers.TryAddWithoutValidation("Authorization", $"Bearer {(await File.ReadAllTextAsync(tokenFile, stop)).Trim()}");
        }

        try
        {
            using HttpResponseMessage answer = await client.SendAsync(request, stop);
            byte[] body = await answer.Content.ReadAsByteArrayAsync(stop);
            return answer.IsSuccessStatusCode ? body : throw Refused(target, (int)answer.StatusCode, body, tokenFile is not null);
        }
        catch (Exception error) when (error is HttpRequestException
            || (error is TaskCanceledException && !stop.IsCancellationRequested))
        {
            throw new CommandException(CommandExit.Unavailable,
                $"{target} does not answer: {error.GetBaseException().Message.TrimEnd('.')}. Nothing was written. "
                + AdviceFor(target, error));
        }
    }

    private static string AdviceFor(Uri target, Exception error) =>
        error is HttpRequestException { HttpRequestError: HttpRequestError.SecureConnectionError }
            ? "If its certificate is of an authority of your own, name that to this command: SSL_CERT_FILE=ca.pem. If it has none, use "
                + "http:."
            : $"Start the app with --ingress {target.Authority}, or save the document of a running one and name the file.";

    private static CommandException Refused(Uri target, int status, byte[] body, bool hasToken)
    {
        string detail = DetailOf(body);
        string advice = status switch
        {
            401 when !hasToken => "Give a file with a token of a caller: --token-file FILE.",
            401 => "The token in --token-file is none of the --ingress-tokens there.",
            503 => "Its app is not there yet: try again.",
            404 when detail.StartsWith(IngressErrors.NoSuchInstance.Id, StringComparison.Ordinal) =>
                "'ambrosia catalog list' shows the names of instances.",
            _ => "Is it the address of --ingress? At a gateway, the name of the instance belongs behind it: "
                + $"{target.GetLeftPart(UriPartial.Authority)}/NAME.",
        };
        return new CommandException(
            status == 503 ? CommandExit.Unavailable : CommandExit.Failed,
            $"{target} answers {status}{(detail.Length > 0 ? $", {detail}" : "")}. Nothing was written. {advice}");
    }

    private static string DetailOf(byte[] body)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(body);
            return document.RootElement.ValueKind == JsonValueKind.Object
                && document.RootElement.TryGetProperty("code", out JsonElement code)
                && document.RootElement.TryGetProperty("detail", out JsonElement detail) ? $"{code}: {detail}" : "";
        }
        catch (JsonException)
        {
            return "";
        }
    }

    private static CommandException TooLarge(string source) => new(
        CommandExit.Failed, $"{source} has more than {MostBytes >> 20} MiB, and no such document has. Nothing was written.");
}
