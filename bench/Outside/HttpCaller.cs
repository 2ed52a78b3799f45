using System.Net;
using System.Net.Http.Headers;
using System.Text;

namespace Ambrosia.Bench.Outside;

/// <summary>A client over HTTP/1.1 and JSON: so many calls of a method that echoes under way, each with a key.</summary>
internal static class HttpCaller
{
    /// <summary>Takes commands until the process ends.</summary>
    public static async Task ServeAsync(string url, string path)
    {
        using var client = new HttpClient { BaseAddress = new Uri(url), Timeout = TimeSpan.FromSeconds(60) };
        await CallerDesk.ServeAsync(size =>
        {
            string body = $$"""{"payload":"{{Convert.ToBase64String(new byte[size])}}"}""";
            string session = CallerDesk.NewSession();
            return number => CallAsync(client, path, body, $"\"{session}\";n={number};low={number - 1}");
        });
    }

    private static async Task CallAsync(HttpClient client, string path, string body, string key)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, path);
        request.Content = new StringContent(body, Encoding.UTF8, "application/json");
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        request.Headers.TryAddWithoutValidation("Idempotency-Key", key);
        using HttpResponseMessage answer = await client.SendAsync(request);
        string text = await answer.Content.ReadAsStringAsync();
        if (answer.StatusCode != HttpStatusCode.OK)
        {
            throw new InvalidOperationException($"{(int)answer.StatusCode}: {text}");
        }
    }
}
