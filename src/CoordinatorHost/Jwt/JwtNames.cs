using System.Security.Cryptography;
using System.Text;

namespace Ambrosia.CoordinatorHost.Jwt;

/// <summary>
/// What a subject is called here. No two subjects have one name, nor have a subject and a line of a file: idempotency keys and their
/// answers belong to names.
/// </summary>
internal static class JwtNames
{
    /// <summary>What these names begin with, and no other caller's.</summary>
    public const string Prefix = "jwt";

    private const int MaxName = 255;

    /// <summary>The name of a subject: <c>jwt:ISSUER#SUBJECT</c>, or a hash of both where that is no name.</summary>
    /// <param name="issuer">Who says so. Without #, so the first one ends it.</param>
    /// <param name="subject">Whom it stands for.</param>
    public static string Of(string issuer, string subject)
    {
        string name = $"{Prefix}:{issuer}#{subject}";
        return name.Length <= MaxName && subject.All(static c => c is > ' ' and <= '~') ? name
            : $"{Prefix}-sha256:{Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes($"{issuer}#{subject}")))}";
    }

    /// <summary>Whether nobody else may have a name.</summary>
    public static bool IsTaken(string name) => name.StartsWith(Prefix + ":", StringComparison.Ordinal)
        || name.StartsWith(Prefix + "-sha256:", StringComparison.Ordinal);
}
