using System.Globalization;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>What a request says beside its body.</summary>
/// <param name="Path">Its path in parts, each decoded.</param>
/// <param name="Wait">How long it waits for its answer.</param>
/// <param name="Sends">Whether it waits only until the call is durable.</param>
internal sealed partial record IngressRequest(IReadOnlyList<string> Path, TimeSpan Wait, bool Sends)
{
    private const string Header = "Idempotency-Key";

    /// <summary>
    /// What of it cannot be understood; empty for nothing. It is no reason to refuse a call that is kept
    /// (docs/internals/outside-calls.md X24).
    /// </summary>
    public string Malformed { get; private init; } = "";

    /// <summary>Reads it.</summary>
    public static IngressRequest Read(HttpRequest request, IngressLimits limits)
    {
        // Parts are decoded one by one: the key of a call may hold a slash.
        string target = request.HttpContext.Features.Get<IHttpRequestFeature>()?.RawTarget ?? "";
        string path = target.Split('?')[0];
        string[] parts = [.. path.Split('/', StringSplitOptions.RemoveEmptyEntries).Select(Uri.UnescapeDataString)];
        TimeSpan wait = limits.Wait;
        string mode = request.Query["mode"].ToString();
        string reason = mode is "" or "call" or "send" ? "" : "mode is call or send";
        string given = request.Query["wait"].ToString();
        Match prefer = Preferred().Match(request.Headers["Prefer"].ToString());
        if (given.Length > 0 && given != "0" && (!Duration.TryParse(given, out wait) || wait < TimeSpan.Zero))
        {
            (reason, wait) = ("wait is a time such as 500ms, 10s or 2m", limits.Wait);
        }
        else if (given == "0")
        {
            wait = TimeSpan.Zero;
        }
        else if (given.Length == 0 && prefer.Success)
        {
            wait = TimeSpan.FromSeconds(int.Parse(prefer.Groups[1].ValueSpan, NumberStyles.None, CultureInfo.InvariantCulture));
        }

        if (wait > limits.MostWait)
        {
            // RFC 7240, 3. It is no reason to refuse: a call that ran would be told that it did not.
            request.HttpContext.Response.Headers["Preference-Applied"] =
                $"wait={limits.MostWait.TotalSeconds.ToString("0.###", CultureInfo.InvariantCulture)}";
        }

        wait = wait > limits.MostWait ? limits.MostWait : wait < limits.LeastWait ? limits.LeastWait : wait;
        return new IngressRequest(parts, wait, mode == "send") { Malformed = reason };
    }

    /// <summary>The key of a call.</summary>
    /// <param name="request">The request.</param>
    /// <param name="text">The header as it was sent; empty if there is none.</param>
    /// <param name="reason">Why it cannot be read; empty if it can, or if there is none.</param>
    public static IdempotencyKey? KeyOf(HttpRequest request, out string text, out string reason)
    {
        var headers = request.Headers[Header];
        text = headers.Count == 1 ? headers.ToString().Trim() : "";
        reason = headers.Count > 1 ? "there are two" : "";
        return headers.Count == 1 && IdempotencyKey.TryParse(text, out IdempotencyKey key, out reason) ? key : null;
    }

    [GeneratedRegex(@"(?:^|[,;\s])wait=([0-9]{1,6})(?:$|[,;\s])", RegexOptions.CultureInvariant)]
    private static partial Regex Preferred();
}
