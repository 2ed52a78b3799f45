using System.Collections.Concurrent;
using System.Net.Http.Headers;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Client;

/// <summary>
/// Completes awakeables by their URLs, each with the same bytes until somebody says what became of it. A URL is the permission, so it is
/// in no text and in no trace. Used by several threads at once.
/// </summary>
internal sealed class AwakeableSender(
    AmbrosiaClientOptions options, TokenSource token, X509Certificate2Collection? authorities, TimeProvider time) : IDisposable
{
    private const int Small = 64 << 10; // Bytes. A larger body is sent when its head was not refused,
    private const double Slowest = 64 << 10; // and may need a second for so many.
    private const int MostOutages = 1000; // Hosts that never answered are told again after so many others.
    private static readonly TimeSpan s_wait = TimeSpan.FromSeconds(25); // An address waits so long,
    private static readonly TimeSpan s_way = TimeSpan.FromSeconds(10); // and so much longer is waited for it.
    private readonly CancellationTokenSource _closing = new();
    private readonly HostsInTurn<HttpMessageInvoker> _hosts = new(host => Open(host, authorities), time);
    private readonly ConcurrentDictionary<string, Outage> _outages = new(); // Of hosts that do not answer now.
    private readonly SemaphoreSlim _free = new(options.MaxConcurrentCalls);

    /// <summary>Sends it until there is a last word.</summary>
    /// <param name="url">The URL that the app has given away.</param>
    /// <param name="rejects">Whether it is rejected.</param>
    /// <param name="body">JSON.</param>
    /// <param name="stop">Ends it. It may have been taken.</param>
    /// <exception cref="ArgumentException">The URL is none.</exception>
    /// <exception cref="CallRefusedException">It was refused.</exception>
    /// <exception cref="CallNotAnsweredException">There was no answer in time.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed meanwhile.</exception>
    public async Task SendAsync(string url, bool rejects, byte[] body, CancellationToken stop)
    {
        Uri target = TargetOf(url, rejects);
        string what = $"the awakeable at {target.Authority}";
        using var patience = new CancellationTokenSource(options.Deadline, time);
        using var late = CancellationTokenSource.CreateLinkedTokenSource(patience.Token, stop, _closing.Token);
        string? last = null;
        try
        {
            await _free.WaitAsync(late.Token).ConfigureAwait(false);
            try
            {
                for (int failures = 0; ; failures++)
                {
                    AwakeableReply reply = await TryAsync(target, body, what, late.Token).ConfigureAwait(false);
                    Tell(target.Authority, failures, reply);
                    if (reply.IsTaken)
                    {
                        return;
                    }

                    last = reply.Detail ?? last;
                    TimeSpan pause = Backoff.After(failures, 1);
                    await Task.Delay(reply.After > pause ? reply.After : pause, time, late.Token).ConfigureAwait(false);
                }
            }
            finally
            {
                _free.Release();
            }
        }
        catch (Exception error) when (error is OperationCanceledException or ObjectDisposedException && late.IsCancellationRequested)
        {
            throw stop.IsCancellationRequested ? new OperationCanceledException(stop)
                : _closing.IsCancellationRequested ? new ObjectDisposedException(
                    nameof(AmbrosiaClient), $"{what} was not answered before its client was disposed. It may have been completed.")
                : new CallNotAnsweredException(
                    $"{what} was not answered within {options.Deadline}. It may have been completed."
                        + (last is null ? "" : $" Last of all: {last}"));
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _closing.Cancel();
        _hosts.Dispose();
    }

    private void Tell(string host, int failures, AwakeableReply reply)
    {
        if (options.Logger is null)
        {
            return;
        }

        if (reply.Detail is null)
        {
            if (_outages.TryRemove(host, out Outage? over))
            {
                over.Ended();
            }
        }
        else if (failures > 0)
        {
            if (_outages.Count >= MostOutages)
            {
                _outages.Clear();
            }

            _outages.GetOrAdd(host, static (name, sender) => sender.OutageOf(name), this).Failed(reply.Detail);
        }
    }

    private Outage OutageOf(string host) => new(host, options.Logger, time);

    // What the token's function throws ends it.
    private async Task<AwakeableReply> TryAsync(Uri target, byte[] body, string what, CancellationToken stop)
    {
        string? shown = IsOurs(target) ? await token.GetAsync(stop).ConfigureAwait(false) : null;
        AwakeableReply reply = await PostAsync(target, body, shown, what, stop).ConfigureAwait(false);
        if (reply.Refusal?.Code == IngressErrors.Unauthenticated.Id && shown is not null
            && await token.RenewAsync(shown, stop).ConfigureAwait(false) is { } newer)
        {
            reply = await PostAsync(target, body, newer, what, stop).ConfigureAwait(false);
        }

        return reply.Refusal is null ? reply : throw reply.Refusal;
    }

    private async Task<AwakeableReply> PostAsync(Uri target, byte[] body, string? shown, string what, CancellationToken stop)
    {
        using var slow = new CancellationTokenSource(s_wait + s_way + TimeSpan.FromSeconds(body.Length / Slowest), time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(slow.Token, stop);
        try
        {
            return await _hosts.AskAsync(
                async connections =>
                {
                    using HttpRequestMessage request = RequestOf(target, body, shown);
                    using HttpResponseMessage response = await connections.SendAsync(request, both.Token).ConfigureAwait(false);
                    AwakeableReply reply = await AwakeableReply.ReadAsync(response, what, time, both.Token).ConfigureAwait(false);
                    return (reply, !reply.IsUnavailable);
                },
                error => IsUntrusted(error) ? HostState.Untrusted : stop.IsCancellationRequested ? HostState.Serves : HostState.Away,
                () => Hosts.CountAsync(target.DnsSafeHost, both.Token)).ConfigureAwait(false);
        }
        catch (HttpRequestException error) when (error.GetBaseException() is AuthenticationException untrusted)
        {
            throw new CallRefusedException(
                "", $"{what}: no certificate that is trusted is shown there, or no TLS is spoken: {untrusted.Message} TrustedCaFile names "
                    + "authorities of your own.",
                isFinal: false, error);
        }
        catch (Exception error) when (error is HttpRequestException or IOException)
        {
            return AwakeableReply.Later(error.Message);
        }
        catch (OperationCanceledException) when (!stop.IsCancellationRequested)
        {
            return AwakeableReply.Later("no answer in time");
        }
    }

    private static bool IsUntrusted(Exception error) =>
        error is HttpRequestException && error.GetBaseException() is AuthenticationException;

    // Nothing of this process's own goes along, and no trace has the URL: a URL may lead anywhere.
    private static HttpMessageInvoker Open(int host, X509Certificate2Collection? authorities)
    {
        SocketsHttpHandler handler = Hosts.Open(host, authorities);
        handler.ActivityHeadersPropagator = null;
        return new HttpMessageInvoker(new SocketErrorHandler(handler));
    }

    private static HttpRequestMessage RequestOf(Uri target, byte[] body, string? shown)
    {
        var request = new HttpRequestMessage(HttpMethod.Post, target) { Content = new ByteArrayContent(body) };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        request.Headers.Add("Prefer", $"wait={(int)s_wait.TotalSeconds}");
        request.Headers.ExpectContinue = body.Length > Small;
        request.Headers.Authorization = shown is null ? null : new AuthenticationHeaderValue("Bearer", shown);
        return request;
    }

    // A token goes to addresses that the options name, and to no other that somebody has put into a URL.
    private bool IsOurs(Uri target) => options.Addresses.Concat(options.Instances.Values.SelectMany(static own => own))
        .Any(address => Uri.TryCreate(address, UriKind.Absolute, out Uri? ours)
            && Uri.Compare(ours, target, UriComponents.SchemeAndServer, UriFormat.Unescaped, StringComparison.OrdinalIgnoreCase) == 0);

    // Nothing but the path may tell what is completed: what stands behind it would be left out on the way.
    private static Uri TargetOf(string url, bool rejects)
    {
        ArgumentNullException.ThrowIfNull(url);
        string text = url.EndsWith('/') ? url[..^1] : url;
        bool isOne = !text.Any(static c => char.IsWhiteSpace(c) || char.IsControl(c))
            && Uri.TryCreate(text, UriKind.Absolute, out Uri? whole) && whole.Scheme is "http" or "https"
            && whole.Query.Length + whole.Fragment.Length + whole.UserInfo.Length == 0 && !text.AsSpan().ContainsAny('?', '#', '@')
            && whole.AbsolutePath.Split('/') is [.., "v1", "awakeables", { Length: > 0 }];
        return isOne ? new Uri(rejects ? $"{text}/reject" : text)
            : throw new ArgumentException("That is not the URL of an awakeable: take the whole Url as the app gave it.", nameof(url));
    }
}
