using System.Net;
using System.Net.Http.Headers;
using Ambrosia.ImmortalCoordinator.Tests.Support;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>Reads server-sent events.</summary>
internal sealed class EventReader : IDisposable
{
    private readonly HttpResponseMessage _response;
    private readonly StreamReader? _reader;

    private EventReader(HttpResponseMessage response, StreamReader? reader) => (_response, _reader) = (response, reader);

    public HttpStatusCode Status => _response.StatusCode;

    public string? Kind => _response.Content.Headers.ContentType?.MediaType;

    /// <summary>The id of the instance that tells them.</summary>
    public string? InstanceId =>
        _response.Headers.TryGetValues("Ambrosia-Instance-Id", out IEnumerable<string>? ids) ? ids.Single() : null;

    public static async Task<EventReader> OpenAsync(HttpClient client, Uri address, string? token = null, string lastId = "")
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, address);
        request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue("text/event-stream"));
        request.Headers.Authorization = token is null ? null : new AuthenticationHeaderValue("Bearer", token);
        if (lastId.Length > 0)
        {
            request.Headers.Add("Last-Event-ID", lastId);
        }

        HttpResponseMessage response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead).OrFail();
        return new EventReader(
            response, response.IsSuccessStatusCode ? new StreamReader(await response.Content.ReadAsStreamAsync()) : null);
    }

    /// <summary>The lines of the next event, without signs of life between; empty at the end, whatever that came of.</summary>
    public async Task<string> NextAsync()
    {
        while (true)
        {
            var lines = new List<string>();
            try
            {
                while (await _reader!.ReadLineAsync().OrFail() is { } line && line.Length > 0)
                {
                    lines.Add(line);
                }
            }
            catch (IOException)
            {
                return ""; // A server that closes may reset a connection.
            }

            if (lines is not [":"])
            {
                return string.Join('|', lines);
            }

            Beats++;
        }
    }

    /// <summary>Signs of life so far.</summary>
    public int Beats { get; private set; }

    public void Dispose() => _response.Dispose();
}
