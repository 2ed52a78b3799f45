using System.Net.Http.Headers;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.Client;

/// <summary>
/// Completes awakeables by their URLs, each with the same bytes until somebody says what became of it. A URL is the permission, so it is
/// in no text, and leads nowhere else. Used by several threads at once.
/// </summary>
internal sealed class AwakeableSender(
    AmbrosiaClientOptions options, TokenSource token, X509Certificate2Collection? authorities, TimeProvider time) : IDisposable
{
    private const int MostAnswer = 64 << 10; // Bytes. The path of an awakeable says little.
    private static readonly TimeSpan s_wait = TimeSpan.FromSeconds(25); // An address waits so long,
    private static readonly TimeSpan s_way = TimeSpan.FromSeconds(10); // and so much longer is waited for it.
    private readonly CancellationTokenSource _closing = new();
    private readonly Lazy<HttpClient> _first = new(() => Open(0, authorities));

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
            for (int failures = 0; ; failures++)
            {
                AwakeableReply reply = await TryAsync(target, body, what, failures, late.Token).ConfigureAwait(false);
                if (reply.IsTaken)
                {
                    return;
                }

                last = reply.Detail ?? last;
                TimeSpan pause = Backoff.After(failures, 1);
                await Task.Delay(reply.After > pause ? reply.After : pause, time, late.Token).ConfigureAwait(false);
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
        if (_first.IsValueCreated)
        {
            _first.Value.Dispose();
        }
    }

    private static HttpClient Open(int host, X509Certificate2Collection? authorities) =>
        new(Hosts.Open(host, authorities)) { Timeout = Timeout.InfiniteTimeSpan, MaxResponseContentBufferSize = MostAnswer };

    // After a failure another host of the name may serve, and a connection that is kept stays with its own.
    private async Task<AwakeableReply> TryAsync(Uri target, byte[] body, string what, int failures, CancellationToken stop)
    {
        HttpClient client = failures == 0 ? _first.Value : Open(failures, authorities);
        using var slow = new CancellationTokenSource(s_wait + s_way, time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(slow.Token, stop);
        try
        {
            string? shown = IsOurs(target) ? await token.GetAsync(both.Token).ConfigureAwait(false) : null;
            AwakeableReply reply = await PostAsync(client, target, body, shown, what, both.Token).ConfigureAwait(false);
            return reply.Refusal is { Code: var code } && code == IngressErrors.Unauthenticated.Id && shown is not null
                && await token.RenewAsync(shown, both.Token).ConfigureAwait(false) is { } newer
                    ? (await PostAsync(client, target, body, newer, what, both.Token).ConfigureAwait(false)).OrThrow()
                    : reply.OrThrow();
        }
        catch (HttpRequestException error) when (error.GetBaseException() is AuthenticationException untrusted)
        {
            throw new CallRefusedException(
                "", $"{what}: no certificate that is trusted is shown there: {untrusted.Message} TrustedCaFile names authorities of your own.",
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
        finally
        {
            if (failures > 0)
            {
                client.Dispose();
            }
        }
    }

    private static async Task<AwakeableReply> PostAsync(
        HttpClient client, Uri target, byte[] body, string? shown, string what, CancellationToken stop)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, target) { Content = new ByteArrayContent(body) };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        request.Headers.Add("Prefer", $"wait={(int)s_wait.TotalSeconds}");
        if (shown is not null)
        {
            request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", shown);
        }

        using HttpResponseMessage response = await client.SendAsync(request, stop).ConfigureAwait(false);
        return AwakeableReply.Of(response, await response.Content.ReadAsByteArrayAsync(stop).ConfigureAwait(false), what);
    }

    // A token goes to addresses that the options name, and to no other that somebody has put into a URL.
    private bool IsOurs(Uri target) => options.Addresses.Concat(options.Instances.Values.SelectMany(static own => own))
        .Any(address => Uri.TryCreate(address, UriKind.Absolute, out Uri? ours)
            && Uri.Compare(ours, target, UriComponents.SchemeAndServer, UriFormat.Unescaped, StringComparison.OrdinalIgnoreCase) == 0);

    private static Uri TargetOf(string url, bool rejects)
    {
        ArgumentNullException.ThrowIfNull(url);
        string text = url.EndsWith('/') ? url[..^1] : url;
        return Uri.TryCreate(rejects ? $"{text}/reject" : text, UriKind.Absolute, out Uri? target)
            && target.Scheme is "http" or "https" && target.AbsolutePath.Contains("/v1/awakeables/", StringComparison.Ordinal)
            ? target : throw new ArgumentException("That is not the URL of an awakeable: take the whole Url as the app gave it.", nameof(url));
    }
}
