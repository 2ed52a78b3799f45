using System.Buffers.Binary;
using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Primitives.Sockets;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>The way to instances: HTTP/1.1 for HTTP, HTTP/2 for gRPC.</summary>
internal sealed class InstanceLink : IInstanceLink, IDisposable
{
    /// <summary>How much longer than it was asked to an instance may take to answer: it looks into its log for two at most.</summary>
    public static readonly TimeSpan Grace = TimeSpan.FromSeconds(3);

    private const int MostFirst = 64 << 10; // As much is read before anybody is told: until then a call may be sent again.
    private readonly Func<string?> _token;
    private readonly HttpMessageInvoker _client;
    private readonly TimeProvider _time;

    /// <summary>Connects to nothing yet.</summary>
    /// <param name="token">What the gateway shows to instances; null for nothing.</param>
    /// <param name="authorities">Authorities that sign certificates of instances; null for those that the system knows.</param>
    /// <param name="connect">How long a connection may take.</param>
    /// <param name="time">Clock.</param>
    public InstanceLink(Func<string?> token, X509Certificate2Collection? authorities, TimeSpan connect, TimeProvider time)
    {
        (_token, _time) = (token, time);
        var handler = new SocketsHttpHandler
        {
            UseProxy = false,
            UseCookies = false,
            AllowAutoRedirect = false,
            ActivityHeadersPropagator = null, // The caller's own pass through.
            ConnectTimeout = connect,
            PooledConnectionIdleTimeout = TimeSpan.FromMinutes(1),
            PooledConnectionLifetime = TimeSpan.FromMinutes(2), // A name may lead elsewhere by then.
            RequestHeaderEncodingSelector = static (_, _) => Encoding.UTF8, // As callers may write them, and instances read them.
            EnableMultipleHttp2Connections = true,
            KeepAlivePingDelay = TimeSpan.FromSeconds(10),
            KeepAlivePingTimeout = TimeSpan.FromSeconds(5),
        };
        if (authorities is not null)
        {
            // Authorities of one's own seldom say where it would be told that a certificate is revoked.
            var policy = new X509ChainPolicy
                { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
            policy.CustomTrustStore.AddRange(authorities);
            handler.SslOptions.CertificateChainPolicy = policy;
        }

        _client = new HttpMessageInvoker(new SocketErrorHandler(handler));
    }

    /// <inheritdoc/>
    public async Task<TryResult> TryAsync(ForwardedCall call, Route route, TimeSpan wait, CancellationToken gone)
    {
        using var late = new CancellationTokenSource(wait + Grace, _time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, gone);
        using HttpRequestMessage request = RequestOf(call, route, wait);
        var body = (OnceContent?)request.Content;
        try
        {
            HttpResponseMessage response = await _client.SendAsync(request, either.Token);
            try
            {
                return Judge(call, await ReadAsync(response, call.IsWatch, either.Token));
            }
            catch
            {
                response.Dispose();
                throw;
            }
        }
        catch (Exception error) when (error is HttpRequestException or IOException or OperationCanceledException or ProtocolException)
        {
            gone.ThrowIfCancellationRequested();
            string reason = error is OperationCanceledException ? "it does not answer" : error.GetBaseException().Message;
            // A connection that was kept may have taken the call, before another one was refused.
            return new TryResult(
                IsOfEncryption(error) && body is not { Started: true } ? TryOutcome.BadEncryption
                : body is { Started: false } ? TryOutcome.NotSent : TryOutcome.Broken, null, reason);
        }
    }

    /// <summary>Opens a stream of calls to an instance.</summary>
    /// <param name="route">Where to.</param>
    /// <param name="headers">Headers that are passed on.</param>
    /// <param name="room">While the client has not taken its replies, no more are read.</param>
    public InstanceStream Open(Route route, IReadOnlyList<KeyValuePair<string, string>> headers, ReplyRoom room) => new(
        async (content, stop) =>
        {
            var request = new HttpRequestMessage(
                HttpMethod.Post, $"{route.Address}/{IngressService.Name}/{IngressService.Calls}")
            {
                Version = HttpVersion.Version20, VersionPolicy = HttpVersionPolicy.RequestVersionExact, Content = content,
            };
            Add(headers, request);
            request.Headers.TryAddWithoutValidation("te", "trailers");
            request.Headers.TryAddWithoutValidation(GatewayHeaders.InstanceId, route.InstanceId);
            SayWho(request.Headers);
            return await _client.SendAsync(request, stop);
        },
        room, _time);

    /// <summary>Asks the instance at an address for its id; null if there is no such host.</summary>
    /// <exception cref="IOException">It does not say.</exception>
    public async Task<string?> AskIdAsync(string instance, Uri address, CancellationToken stop)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, $"{address.AbsoluteUri.TrimEnd('/')}/v1/instance");
        SayWho(request.Headers);
        try
        {
            using HttpResponseMessage response = await _client.SendAsync(request, stop);
            if (response.StatusCode == HttpStatusCode.Unauthorized)
            {
                throw new InstanceRefusedException(TryOutcome.NotTrusted, $"{address} does not let this gateway in", null);
            }

            string text = await response.Content.ReadAsStringAsync(stop);
            using JsonDocument? said = response.StatusCode == HttpStatusCode.OK ? JsonDocument.Parse(text) : null;
            string? name = said?.RootElement.GetProperty("instance").GetString();
            return name == instance ? said!.RootElement.GetProperty("id").GetString()
                : throw new IOException(name is null
                    ? $"{address} does not say which instance it is: {(int)response.StatusCode}" : $"{address} is {name}, not {instance}");
        }
        catch (HttpRequestException error) when (error.HttpRequestError == HttpRequestError.NameResolutionError)
        {
            return null;
        }
        catch (HttpRequestException error) when (IsOfEncryption(error))
        {
            throw new InstanceRefusedException(TryOutcome.BadEncryption, error.GetBaseException().Message, error);
        }
        catch (Exception error) when (error is HttpRequestException or JsonException or KeyNotFoundException
            or InvalidOperationException)
        {
            throw new IOException($"{address}: {error.GetBaseException().Message}", error);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _client.Dispose();

    private HttpRequestMessage RequestOf(ForwardedCall call, Route route, TimeSpan wait)
    {
        long milliseconds = (long)Math.Ceiling(wait.TotalMilliseconds);
        string query = call.IsGrpc ? "" : string.Create(CultureInfo.InvariantCulture, $"?wait={milliseconds}ms");
        query += call.Query.Length > 0 ? "&" + call.Query : "";
        // As it is: a path that the library tidied up could name something else than what was looked at.
        var url = new Uri(
            route.Address + call.Path + query, new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true });
        var request = new HttpRequestMessage(call.Method, url)
        {
            Version = call.IsGrpc ? HttpVersion.Version20 : HttpVersion.Version11,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = call.Method == HttpMethod.Post ? new OnceContent(call.Body) : null,
        };
        Add(call.Headers, request);
        if (call.IsGrpc)
        {
            // The instance tells "accepted" a second before the deadline comes, or a fifth of it if that is less: then it waits this long.
            long deadline = Math.Min(milliseconds + 1000, milliseconds * 5 / 4);
            request.Headers.TryAddWithoutValidation("grpc-timeout", string.Create(CultureInfo.InvariantCulture, $"{deadline}m"));
            request.Headers.TryAddWithoutValidation("te", "trailers");
        }

        request.Headers.TryAddWithoutValidation(GatewayHeaders.InstanceId, route.InstanceId);
        SayWho(request.Headers);
        return request;
    }

    private static void Add(IReadOnlyList<KeyValuePair<string, string>> headers, HttpRequestMessage request)
    {
        foreach ((string name, string value) in headers)
        {
            if (!request.Headers.TryAddWithoutValidation(name, value))
            {
                request.Content?.Headers.TryAddWithoutValidation(name, value);
            }
        }
    }

    // What the handshake itself came to, and not the connection below it.
    internal static bool IsOfEncryption(Exception error) => error.InnerException is AuthenticationException;

    private void SayWho(HttpRequestHeaders headers)
    {
        headers.TryAddWithoutValidation(GatewayHeaders.Gateway, "1");
        if (_token() is { } token)
        {
            headers.TryAddWithoutValidation("Authorization", $"Bearer {token}");
        }
    }

    private static async Task<InstanceAnswer> ReadAsync(HttpResponseMessage response, bool isWatch, CancellationToken stop)
    {
        Stream body = await response.Content.ReadAsStreamAsync(stop);
        long size = Math.Min(response.Content.Headers.ContentLength ?? MostFirst, MostFirst);
        byte[] first = new byte[Math.Max(size, 1)];
        int count = 0;
        int read = -1;
        for (; read != 0 && count < first.Length && !(isWatch && count > 0); count += read)
        {
            read = await body.ReadAsync(first.AsMemory(count), stop);
        }

        bool isAll = read == 0 || response.Content.Headers.ContentLength == count;
        return new InstanceAnswer(response, first[..count], isAll ? null : body);
    }

    private static TryResult Judge(ForwardedCall call, InstanceAnswer answer)
    {
        string code = answer.Find(call.IsGrpc ? IngressService.CodeTrailer : GatewayHeaders.Code);
        string status = call.IsGrpc ? answer.Find("grpc-status") : "";
        if (call.IsGrpc && status.Length == 0 && answer.Rest is null)
        {
            answer.Dispose();
            throw new IOException("the answer ended before its status"); // What is half there was never said.
        }

        TryOutcome outcome = InstanceAnswer.OutcomeOf(code, answer.Status == (int)HttpStatusCode.Unauthorized)
            ?? (!call.Sends && IsAccepted(call, answer) ? TryOutcome.Pending : TryOutcome.Answered);
        return new TryResult(outcome, answer, code);
    }

    private static bool IsAccepted(ForwardedCall call, InstanceAnswer answer)
    {
        if (!call.IsGrpc)
        {
            return answer.Status == (int)HttpStatusCode.Accepted;
        }

        ReadOnlySpan<byte> message = answer.First.Span;
        return !call.IsQuery && !call.IsTyped && answer.Rest is null && message.Length is >= 5 and < 64
            && BinaryPrimitives.ReadUInt32BigEndian(message[1..]) == message.Length - 5
            && IngressReply.Read(message[5..]).Kind == IngressReplyKind.Accepted;
    }
}
