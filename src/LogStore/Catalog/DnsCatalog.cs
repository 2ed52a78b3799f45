using System.Globalization;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.LogStore.Catalog;

/// <summary>
/// Addresses by a rule instead of entries: <c>dns:immortal-{instance}:4100</c> says that bank listens at <c>immortal-bank:4100</c>.
/// Nothing is stored anywhere, so instances need neither a shared folder nor a service to find each other; a name service such as that of
/// Kubernetes knows where each of them runs. What only entries can hold is missing: nobody is listed, and an instance that was erased and
/// made again under its name is refused by those that knew it, because nothing confirms its new identity.
/// </summary>
public sealed class DnsCatalog : ICatalog
{
    private const string Place = "{instance}";
    private const string OnlyVersion = "rule";
    private readonly string _rule;

    private DnsCatalog(string rule) => _rule = rule;

    /// <summary>
    /// The catalog of a URI as in <c>dns:{instance}.bank.svc.cluster.local:4100</c>: a host name that holds <c>{instance}</c>, and a port.
    /// </summary>
    /// <exception cref="LogStoreException">It cannot be used (IC-2046).</exception>
    public static DnsCatalog Open(string uri)
    {
        string rule = uri[(uri.IndexOf(':', StringComparison.Ordinal) + 1)..].TrimStart('/');
        int colon = rule.LastIndexOf(':');
        bool hasPort = colon > 0
            && ushort.TryParse(rule.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out ushort port) && port > 0;
        string host = hasPort ? rule[..colon] : rule;
        return hasPort && host.Contains(Place, StringComparison.Ordinal)
            && host.Replace(Place, "", StringComparison.Ordinal).All(static c => char.IsAsciiLetterOrDigit(c) || c is '.' or '-' or '_')
            ? new DnsCatalog(rule)
            : throw new LogStoreException(StoreErrors.BadStoreUri, "the catalog's URI is no host name with {instance} and a port",
                "catalog", "nothing was touched", "write it as in dns:{instance}.bank.svc:4100");
    }

    /// <summary>The address by the rule, whether anybody listens there or not.</summary>
    public ValueTask<CatalogRow?> GetAsync(string instance) =>
        new(new CatalogRow(new CatalogEntry
            { Instance = instance, PeerAddress = _rule.Replace(Place, HostOf(instance), StringComparison.Ordinal) }, OnlyVersion));

    /// <summary>Writes nothing: the rule says already where everybody is.</summary>
    public ValueTask<string?> PutAsync(CatalogEntry entry, string? expectedVersion)
    {
        HostOf(entry.Instance);
        return new(OnlyVersion);
    }

    /// <summary>False: there is nothing to remove.</summary>
    public ValueTask<bool> RemoveAsync(string instance, string? expectedVersion = null) => new(false);

    /// <summary>Nothing: which instances exist is not known here.</summary>
    public ValueTask<IReadOnlyList<CatalogRow>> ListAsync(ICollection<LogStoreException>? damaged = null) => new(Array.Empty<CatalogRow>());

    public ValueTask DisposeAsync() => default;

    // Host names do not tell capital letters from small ones, and a dot would lead into another domain.
    private static string HostOf(string instance) =>
        InstanceName.Validate(instance).All(static c => c is (>= 'a' and <= 'z') or (>= '0' and <= '9') or '-') && !instance.EndsWith('-')
            ? instance
            : throw new LogStoreException(StoreErrors.BadInstanceName, $"'{instance}' cannot be a part of a host name", "catalog",
                "nothing was touched", "with a dns: catalog, name instances with small letters, digits and '-' only");
}
