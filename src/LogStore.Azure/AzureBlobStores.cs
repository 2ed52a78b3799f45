using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.LogStore.Azure;

/// <summary>Stores in Azure Blob Storage: <c>azblob://account.blob.core.windows.net/container</c>.</summary>
/// <param name="environment">Value of an environment variable, or null: the secret's, see docs/operate/stores.md.</param>
public sealed class AzureBlobStores(Func<string, string?> environment) : IStoreProvider
{
    private static readonly TimeSpan s_shortestLease = TimeSpan.FromSeconds(15);
    private readonly StoreSecret _secret = new(environment);

    public string Scheme => AzureAddress.Blobs;

    public string Form => AzureAddress.FormOf(Scheme);

    public bool HoldsCatalogs => false;

    /// <summary>Appends after which a segment is full.</summary>
    internal int MostAppends { get; init; } = BlobSegment.MostAppends;

    public ILogStorage OpenLog(string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment)
    {
        AzureAddress address = AzureAddress.Parse(uri, Scheme);
        return options.LeaseDuration >= s_shortestLease
            ? new BlobLogStorage(address, _secret, InstanceName.Validate(instance), options, environment, MostAppends)
            : throw new LogStoreException(StoreErrors.LeaseTooShort,
                $"Azure gives leases of 15 s to 60 s, and {options.LeaseDuration.TotalSeconds:0.#} s are asked for", address.Location,
                "nothing was touched",
                "set --lease-duration to 15s or more");
    }

    public ICatalog OpenCatalog(string uri, LogStoreEnvironment environment) =>
        throw new LogStoreException(StoreErrors.UnknownStore, "a catalog is a table, not a container",
        "catalog", "nothing was touched", $"use {AzureAddress.FormOf(AzureAddress.Tables)}");
}
