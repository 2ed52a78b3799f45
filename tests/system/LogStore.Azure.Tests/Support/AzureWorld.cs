using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>What a log store is given here.</summary>
internal static class AzureWorld
{
    /// <summary>The kinds of store and catalog, with the account's key in the environment.</summary>
    public static IReadOnlyList<IStoreProvider> Stores { get; } = [new AzureBlobStores(WithKey), new AzureTableCatalogs(WithKey)];

    public static LogStoreEnvironment Environment(RecordingFatal? fatal = null, ILogger? logger = null,
        IReadOnlyList<IStoreProvider>? stores = null) =>
        new() { Stores = stores ?? Stores, Fatal = fatal ?? new RecordingFatal(), Logger = logger ?? new CollectingLogger() };

    /// <summary>A container, looked at past the store.</summary>
    public static BlobContainer Container(string uri) =>
        new(new AzureAccount(AzureAddress.Parse(uri, "azblob"), new Leases.StoreSecret(WithKey), TimeSpan.FromSeconds(15), Environment()));

    public static string? WithKey(string name) => name == "AZURE_STORAGE_KEY" ? Azurite.Key : null;
}
