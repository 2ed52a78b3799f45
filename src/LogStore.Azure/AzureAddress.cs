using System.Globalization;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.LogStore.Azure;

/// <summary>
/// Where a container or table is, from <c>azblob://account.blob.core.windows.net/container</c>, or, as emulators want it,
/// <c>azblob://host:port/account/container?tls=off</c>. Holds no secret, and refuses to.
/// </summary>
/// <param name="Scheme"><c>azblob</c> or <c>aztable</c>.</param>
/// <param name="Host">Host and port.</param>
/// <param name="Account">Name of the storage account.</param>
/// <param name="Name">The container or table.</param>
/// <param name="AccountInPath">Whether the account stands in the path, and not before the host's first dot.</param>
/// <param name="IsPlain">HTTP without TLS, for emulators.</param>
internal sealed record AzureAddress(string Scheme, string Host, string Account, string Name, bool AccountInPath, bool IsPlain)
{
    /// <summary>Scheme of containers.</summary>
    public const string Blobs = "azblob";

    /// <summary>Scheme of tables.</summary>
    public const string Tables = "aztable";

    private const int ShortestName = 3;
    private const int LongestName = 63;

    /// <summary>For messages.</summary>
    public string Location => AccountInPath ? $"{Scheme}://{Host}/{Account}/{Name}" : $"{Scheme}://{Host}/{Name}";

    /// <summary>The service, without container or table.</summary>
    public Uri Service => new($"{(IsPlain ? "http" : "https")}://{Host}/{(AccountInPath ? Account : "")}");

    /// <summary>How a URI of this scheme looks.</summary>
    public static string FormOf(string scheme) =>
        scheme == Blobs ? "azblob://account.blob.core.windows.net/container" : "aztable://account.table.core.windows.net/table";

    /// <summary>Reads a URI.</summary>
    /// <exception cref="LogStoreException">It is not one of ours (IC-2046).</exception>
    public static AzureAddress Parse(string text, string scheme)
    {
        if (!Uri.TryCreate(text, UriKind.Absolute, out Uri? uri) || !text.StartsWith(scheme + "://", StringComparison.Ordinal)
            || uri.Host.Length == 0)
        {
            throw Wrong(scheme, "this is no address of a storage account");
        }

        if (uri.UserInfo.Length > 0 || uri.Query.Contains("sig=", StringComparison.OrdinalIgnoreCase))
        {
            throw Wrong(scheme, "the address holds a secret, and would show it to every user that lists processes");
        }

        string host = uri.Port < 0 ? uri.Host : string.Create(CultureInfo.InvariantCulture, $"{uri.Host}:{uri.Port}");
        AzureAddress address = uri.AbsolutePath.Trim('/').Split('/') switch
        {
            [var name] when uri.Host.Contains('.', StringComparison.Ordinal) && uri.HostNameType == UriHostNameType.Dns =>
                new(scheme, host, uri.Host.Split('.')[0], name, false, false),
            [var account, var name] => new(scheme, host, account, name, true, false),
            _ => throw Wrong(scheme, "the address names no account, or no container or table"),
        };
        foreach (string part in uri.Query.TrimStart('?').Split('&', StringSplitOptions.RemoveEmptyEntries))
        {
            address = part == "tls=off" ? address with { IsPlain = true }
                : throw Wrong(scheme, $"there is no part '{part.Split('=')[0]}' in an address of a storage account");
        }

        return address.IsNamed ? address : throw Wrong(scheme, scheme == Blobs
            ? "a container's name has 3 to 63 lower-case letters, digits and single hyphens between them"
            : "a table's name has 3 to 63 letters and digits and begins with a letter");
    }

    private bool IsNamed => Account.Length > 0 && Name.Length is >= ShortestName and <= LongestName && (Scheme == Blobs
        ? Name.All(static c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '-') && Name[0] != '-' && Name[^1] != '-'
        && !Name.Contains("--", StringComparison.Ordinal)
        : Name.All(char.IsAsciiLetterOrDigit) && char.IsAsciiLetter(Name[0]));

    private static LogStoreException Wrong(string scheme, string what) =>
        new(StoreErrors.BadStoreUri, what, "store or catalog", "nothing was touched",
        $"write {FormOf(scheme)}; the secret comes from AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_KEY or "
        + $"AMBROSIA_STORE_SECRET_FILE, else Entra ID is asked");
}
