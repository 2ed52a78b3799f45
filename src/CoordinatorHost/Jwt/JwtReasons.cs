namespace Ambrosia.CoordinatorHost.Jwt;

/// <summary>What an operator reads of a token that is not believed.</summary>
internal static class JwtReasons
{
    /// <summary>The reason as a sentence's end.</summary>
    public static string Of(JwtRefusal refusal) => refusal switch
    {
        JwtRefusal.NotReadable => "it is no JSON Web Token, or too long",
        JwtRefusal.Algorithm => "it is not signed in a way that counts: RS, PS or ES with 256, 384 or 512, and no crit",
        JwtRefusal.UnknownKey => "the issuer has no such key for this algorithm",
        JwtRefusal.Signature => "no key of the issuer has signed it",
        JwtRefusal.Issuer => "it is of another issuer",
        JwtRefusal.Audience => "it is meant for another audience",
        JwtRefusal.Time => "it has expired, has not begun, or says no end",
        JwtRefusal.Subject => "it has no sub",
        JwtRefusal.Methods => "its claim of methods is missing, or is no list of names",
        _ => "nobody knows",
    };
}
