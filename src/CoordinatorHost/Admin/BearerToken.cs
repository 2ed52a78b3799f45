using System.Security.Cryptography;
using System.Text;
using Microsoft.AspNetCore.Http;
using static Ambrosia.CoordinatorHost.Admin.WebAnswer;

namespace Ambrosia.CoordinatorHost.Admin;

/// <summary>
/// The secret that a request shows in <c>Authorization: Bearer</c> on a loopback address, which every user of the machine can reach.
/// A header, and no cookie: browsers show cookies to every port of a machine. No foreign page can set the header.
/// </summary>
/// <param name="token">The secret; empty where file permissions decide which clients may ask.</param>
/// <param name="advice">All that an unauthenticated client is told.</param>
public sealed class BearerToken(string token, string advice)
{
    private const string Scheme = "Bearer ";
    private readonly byte[] _token = Encoding.UTF8.GetBytes(token);

    /// <summary>Whether a request may be answered.</summary>
    public bool Admits(HttpRequest request)
    {
        string shown = request.Headers.Authorization.ToString();
        return _token.Length == 0
            || (shown.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase)
                && CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(shown[Scheme.Length..].Trim()), _token));
    }

    /// <summary>Answers a request that may not be answered.</summary>
    public Task RefuseAsync(HttpContext context)
    {
        context.Response.Headers.WWWAuthenticate = "Bearer";
        return AnswerAsync(context, StatusCodes.Status401Unauthorized, advice + "\n");
    }
}
