using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// Which headers pass a gateway. Of a caller those that an instance reads, and no others: neither what belongs to one connection nor what
/// claims something of the caller, such as <c>X-Forwarded-For</c>. Of an instance all but those of the connection.
/// </summary>
internal static class HeaderRules
{
    private const int MostOptional = 4096; // Bytes. An instance takes 32 KiB of headers, those that a gateway adds included.

    private static readonly (string Name, int Most)[] s_passing =
    [
        ("Content-Type", int.MaxValue), ("Idempotency-Key", int.MaxValue), ("Last-Event-ID", int.MaxValue), ("traceparent", int.MaxValue),
        ("Accept", MostOptional), ("tracestate", MostOptional),
    ];

    private static readonly HashSet<string> s_ofConnection = new(StringComparer.OrdinalIgnoreCase)
    {
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding",
        "Upgrade", "Date", "Server", "WWW-Authenticate",
    };

    /// <summary>Those of a request that go on to the instance, except what it can do without and is too long.</summary>
    public static IReadOnlyList<KeyValuePair<string, string>> Passing(HttpRequest request)
    {
        var headers = new List<KeyValuePair<string, string>>();
        foreach ((string name, int most) in s_passing)
        {
            // In one line, as RFC 9110, 5.2 lets anybody on the way do: an instance takes a hundred, and a gateway adds some.
            StringValues lines = request.Headers[name];
            string value = lines.ToString();
            if (lines.Count > 0 && value.Length <= most)
            {
                headers.Add(new KeyValuePair<string, string>(name, value)); // An empty key is for the instance to refuse.
            }
        }

        return headers;
    }

    /// <summary>Whether one of an answer goes on to the caller.</summary>
    public static bool Passes(string name) => !s_ofConnection.Contains(name);
}
