using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.Simulation.Tests;

/// <summary>Stores of the scheme <c>service</c>: one instance's simulated service.</summary>
internal sealed class ServiceStores(LogService service, ServiceWire wire) : IStoreProvider
{
    public string Scheme => "service";

    public string Form => "service:";

    public ILogStorage OpenLog(string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment) =>
        new ServiceStorage(new ServiceClient(service, wire, options.LeaseDuration, environment), instance);

    public ICatalog OpenCatalog(string uri, LogStoreEnvironment environment) => throw new NotSupportedException("A simulated service keeps no catalog.");
}
