namespace Ambrosia.CoordinatorHost.Options;

/// <summary>What the options of callers with JSON Web Tokens must be to each other.</summary>
internal static class JwtRules
{
    private const int MaxIssuer = 200;

    /// <summary>Looks at them.</summary>
    /// <param name="options">The options.</param>
    /// <param name="prefix">What their names begin with, as <c>--ingress-jwt</c>.</param>
    /// <returns>What is wrong, with which option, and what to do; null for nothing.</returns>
    public static (string Reason, string Option, string Advice)? Mistake(JwtOptions options, string prefix)
    {
        if (options == JwtOptions.None)
        {
            return null;
        }

        if (options.Issuer.Length == 0 || options.Audience.Length == 0 || options.Keys.Length == 0)
        {
            return ("issuer, audience and keys go together", $"{prefix}-issuer, {prefix}-audience, {prefix}-keys",
                "give all three, or none of them");
        }

        if (options.Issuer.Length > MaxIssuer || !options.Issuer.All(static c => c is > ' ' and <= '~' and not '#'))
        {
            return ($"the issuer is no text of up to {MaxIssuer} visible ASCII characters without #", $"{prefix}-issuer",
                "write it as tokens say it in their claim iss, such as https://login.example");
        }

        if (IsAddress(options.Keys) && KeysAddress(options.Keys) is null)
        {
            return ($"{options.Keys} is no https address: somebody on the way could replace the keys", $"{prefix}-keys",
                "give an https address, or http of this machine alone, or a file");
        }

        return null;
    }

    /// <summary>The address of keys; null for a file, or for an address that is not to be trusted.</summary>
    public static Uri? KeysAddress(string keys) =>
        IsAddress(keys) && Uri.TryCreate(keys, UriKind.Absolute, out Uri? address)
            && (address.Scheme == Uri.UriSchemeHttps || (address.Scheme == Uri.UriSchemeHttp && address.IsLoopback)) ? address : null;

    private static bool IsAddress(string keys) => keys.Contains("://", StringComparison.Ordinal);
}
