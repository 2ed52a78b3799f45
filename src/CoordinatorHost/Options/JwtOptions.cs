namespace Ambrosia.CoordinatorHost.Options;

/// <summary>Callers from outside whose tokens somebody else issues: JSON Web Tokens (RFC 7519).</summary>
public sealed record JwtOptions
{
    /// <summary>No such callers.</summary>
    public static JwtOptions None { get; } = new();

    /// <summary>Who issues them: what their claim <c>iss</c> says. Default: none.</summary>
    public string Issuer { get; init; } = "";

    /// <summary>What they are issued for: what their claim <c>aud</c> must name. Default: none.</summary>
    public string Audience { get; init; } = "";

    /// <summary>File or https address of the issuer's keys, as a JSON Web Key Set (RFC 7517). Default: none.</summary>
    public string Keys { get; init; } = "";

    /// <summary>Claim that lists the methods that a caller may call. Default: none, so that each may call all that are offered.</summary>
    public string MethodsClaim { get; init; } = "";

    /// <summary>Whether there are any.</summary>
    public bool IsOn => Issuer.Length > 0;
}
