using Ambrosia.CoordinatorHost.Options;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// What a browser must hear before a page of another origin may call: CORS, for the origins of <c>--ingress-origins</c>. A
/// request with none of these origins is treated as ever.
/// </summary>
internal sealed class PagesOfOthers(IngressOrigins origins)
{
    private const string AllowOrigin = "Access-Control-Allow-Origin";
    private const string Preflight = "Access-Control-Request-Method";
    private const string PrivateNetwork = "Access-Control-Request-Private-Network";
    private const string Methods = "GET, POST";
    private const string Sent = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Prefer, " + GatewayHeaders.InstanceId;
    private const string Shown = "Location, Retry-After, WWW-Authenticate, Date, Preference-Applied, "
        + GatewayHeaders.Code + ", " + GatewayHeaders.InstanceId + ", " + QueryEndpoint.RecordHeader;
    private const string Kept = "600"; // Seconds for which a browser remembers: not long after an origin was taken away.

    /// <summary>Whether a page of an origin that may call has sent this.</summary>
    public bool HasSent(HttpRequest request) =>
        request.Headers.Origin.Count == 1 && request.Headers.Origin.ToString() is { Length: > 0 } origin && origins.Allows(origin);

    /// <summary>Lets the page see the answer, whatever it will be; true if the request was the question whether it may ask.</summary>
    /// <param name="context">A request that such a page has sent.</param>
    public static bool Answer(HttpContext context)
    {
        HttpRequest request = context.Request;
        string origin = request.Headers.Origin.ToString();
        bool isPreflight = HttpMethods.IsOptions(request.Method) && request.Headers.ContainsKey(Preflight);
        StringValues isPrivate = isPreflight ? request.Headers[PrivateNetwork] : default; // Says "true", or is not there.

        // At the last moment: what goes wrong on the way clears what has been said before.
        context.Response.OnStarting(() =>
        {
            IHeaderDictionary headers = context.Response.Headers;
            headers[AllowOrigin] = origin;
            headers.Append("Vary", "Origin");
            headers["Access-Control-Expose-Headers"] = isPreflight ? default : Shown;
            headers["Access-Control-Allow-Methods"] = isPreflight ? Methods : default;
            headers["Access-Control-Allow-Headers"] = isPreflight ? Sent : default;
            headers["Access-Control-Max-Age"] = isPreflight ? Kept : default;
            headers["Access-Control-Allow-Private-Network"] = isPrivate;
            return Task.CompletedTask;
        });
        context.Response.StatusCode = isPreflight ? StatusCodes.Status204NoContent : context.Response.StatusCode;
        return isPreflight;
    }
}
