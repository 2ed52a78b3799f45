using System.Globalization;
using Ambrosia.LogStore.Errors;
using Npgsql;

namespace Ambrosia.LogStore.Postgres;

/// <summary>
/// Where a database is, from <c>postgres://user@host:port/database?schema=ambrosia&amp;sslmode=verify-full&amp;sslrootcert=/file</c>.
/// Holds no secret, and refuses to.
/// </summary>
internal sealed record PostgresAddress(string User, string Host, int Port, string Database, string Schema, SslMode SslMode,
    string RootCertificate)
{
    private const int DefaultPort = 5432;
    private const string DefaultSchema = "ambrosia";
    private const int LongestName = 63;

    /// <summary>For messages.</summary>
    public string Location => string.Create(CultureInfo.InvariantCulture, $"postgres://{Host}:{Port}/{Database}?schema={Schema}");

    /// <summary>Reads a URI.</summary>
    /// <exception cref="LogStoreException">It is not one of ours (IC-2046).</exception>
    public static PostgresAddress Parse(string text)
    {
        if (!Uri.TryCreate(text, UriKind.Absolute, out Uri? uri) || !text.StartsWith("postgres://", StringComparison.Ordinal))
        {
            throw Wrong("this is no address of a database");
        }

        if (uri.UserInfo.Contains(':', StringComparison.Ordinal))
        {
            throw Wrong("the address holds a password, and would show it to every user that lists processes");
        }

        string database = Uri.UnescapeDataString(uri.AbsolutePath.Trim('/'));
        if (database.Length == 0 || database.Contains('/', StringComparison.Ordinal))
        {
            throw Wrong("the address names no database");
        }

        var address = new PostgresAddress(Uri.UnescapeDataString(uri.UserInfo), Uri.UnescapeDataString(uri.Host), uri.Port < 0 ? DefaultPort
            : uri.Port, database, DefaultSchema, SslMode.Prefer, "");
        foreach (string part in uri.Query.TrimStart('?').Split('&', StringSplitOptions.RemoveEmptyEntries))
        {
            string[] pair = part.Split('=', 2);
            address = address.With(pair[0], pair.Length == 2 ? Uri.UnescapeDataString(pair[1]) : "");
        }

        return address.Host.Length > 0 ? address : address with { Host = "localhost" };
    }

    /// <summary>What Npgsql is told, without the password.</summary>
    public NpgsqlConnectionStringBuilder ToConnectionString() => new()
    {
        Host = Host,
        Port = Port,
        Database = Database,
        Username = User.Length == 0 ? null : User,
        SslMode = SslMode,
        RootCertificate = RootCertificate.Length == 0 ? null : RootCertificate,
    };

    private PostgresAddress With(string name, string value) => name switch
    {
        "schema" => this with { Schema = IsName(value) ? value
            : throw Wrong("a schema's name has 1 to 63 lower-case letters, digits or underscores and begins with a letter") },
        "host" => this with { Host = value },
        "sslmode" => this with { SslMode = ParseMode(value) },
        "sslrootcert" => this with { RootCertificate = value },
        _ => throw Wrong($"there is no part '{name}' in an address of a database"),
    };

    private static SslMode ParseMode(string text) => text switch
    {
        "disable" => SslMode.Disable,
        "prefer" => SslMode.Prefer,
        "require" => SslMode.Require,
        "verify-ca" => SslMode.VerifyCA,
        "verify-full" => SslMode.VerifyFull,
        _ => throw Wrong("sslmode is disable, prefer, require, verify-ca or verify-full"),
    };

    // It stands in statements as it is: so that nothing needs quoting, nothing that does is let in.
    private static bool IsName(string text) =>
        text.Length is > 0 and <= LongestName && char.IsAsciiLetterLower(text[0])
        && text.All(static c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '_');

    private static LogStoreException Wrong(string what) => new(StoreErrors.BadStoreUri, what, "store or catalog", "nothing was touched",
        "write postgres://user@host:5432/database?schema=ambrosia; the password comes from PGPASSWORD or AMBROSIA_STORE_SECRET_FILE");
}
