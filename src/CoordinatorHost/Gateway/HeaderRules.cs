using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// Which headers pass a gateway. Of a caller those that an instance reads, and no others: neither what belongs to one connection nor what
/// claims something of the caller, such as <c>X-Forwarded-For</c>. Of an instance all but those of the connection.
/// </summary>
internal static class HeaderRules
{
    private static readonly string[] s_passing = 
    [
        "Content-Type", "Idempotency-Key", "Accept", "Last-Event-ID", "traceparent", "tracestate",
    ];

    private static readonly HashSet<string> s_ofConnection = new(StringComparer.OrdinalIgnoreCase)
    {
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding",
        "Upgrade", "Date", "Server", "WWW-Authenticate",
    };

    /// <summary>Those of a request that go on to the instance.</summary>
    public static IReadOnlyList<KeyValuePair<string, string>> Passing(HttpRequest request)
    {
        var headers = new List<KeyValuePair<string, string>>();
        foreach (string name in s_passing)
        {
            StringValues values = request.Headers[name];
            headers.AddRange(values.OfType<string>().Select(value => new KeyValuePair<string, string>(name, value)));
        }

        return headers;
    }

    /// <summary>Whether one of an answer goes on to the caller.</summary>
    public static bool Passes(string name) => !s_ofConnection.Contains(name);
}
