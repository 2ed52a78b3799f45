using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Simulation.Tests;

/// <summary>Stores of the scheme <c>service</c>: one instance's simulated service, as one of its coordinators reaches it.</summary>
internal sealed class ServiceStores(LogService service, ServiceAccess access) : IStoreProvider
{
    public string Scheme => "service";

    public string Form => "service:";

    public ILogStorage OpenLog(string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment)
    {
        var client = new ServiceClient(service, access, options.LeaseDuration, environment);
        return service.Kind == ServiceKind.Database ? new DatabaseStorage(client, instance) : new BlobStorage(client, instance);
    }

    public ICatalog OpenCatalog(string uri, LogStoreEnvironment environment) =>
        throw new NotSupportedException("A simulated service keeps no catalog.");
}
