using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// Finds instances in a catalog. An entry says where calls reach the primary, and the instance's id. Where it says neither, as in a catalog
/// by a rule for names of hosts, the address comes from a rule as well, and the id from the instance itself.
/// </summary>
/// <param name="catalog">The catalog.</param>
/// <param name="rule">An address with <c>{instance}</c> for entries that have none; empty for none.</param>
/// <param name="ask">Asks the instance at an address for its id; null if there is no such host.</param>
internal sealed class CatalogRoutes(ICatalog catalog, string rule, Func<string, Uri, CancellationToken, Task<string?>> ask)
{
    private const string Place = "{instance}";

    /// <summary>Whether a text is a rule for addresses.</summary>
    public static bool IsRule(string text) => text.Contains(Place, StringComparison.Ordinal)
        && Uri.TryCreate(text.Replace(Place, "x", StringComparison.Ordinal), UriKind.Absolute, out Uri? url)
        && url is { Scheme: "http" or "https", Query: "", Fragment: "", UserInfo: "" };

    /// <summary>Looks a name up; null if there is no such instance.</summary>
    /// <exception cref="IOException">Nobody can say.</exception>
    public async Task<Route?> LookAsync(string instance, CancellationToken stop)
    {
        CatalogEntry? entry = await EntryAsync(instance);
        string address = entry is null ? ""
            : entry.IngressAddress.Length > 0 ? entry.IngressAddress : rule.Replace(Place, instance, StringComparison.Ordinal);
        if (entry is null || !Uri.TryCreate(address, UriKind.Absolute, out Uri? url) || url.Scheme is not ("http" or "https"))
        {
            return null;
        }

        // An older build would not know the caller that a gateway names. It says no address, and cannot say its own id.
        string? id = entry is { IngressAddress.Length: > 0, InstanceId.Length: > 0 } ? entry.InstanceId
            : await ask(instance, url, stop);
        return id is null ? null : new Route(url, id);
    }

    // What cannot be a name is no instance's.
    private async Task<CatalogEntry?> EntryAsync(string instance)
    {
        if (!InstanceName.IsValid(instance))
        {
            return null;
        }

        try
        {
            return (await catalog.GetAsync(instance))?.Entry;
        }
        catch (LogStoreException error) when (error.Error == StoreErrors.BadInstanceName)
        {
            return null;
        }
    }
}
