using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore.Stores;

/// <summary>
/// A kind of store and catalog beyond files and memory, chosen by the scheme of a URI. It lives in an assembly of its own, which this one
/// does not know.
/// </summary>
public interface IStoreProvider
{
    /// <summary>What stands before the colon of its URIs.</summary>
    string Scheme { get; }

    /// <summary>How its URIs look, for people who wrote another.</summary>
    string Form { get; }

    /// <summary>Whether logs can lie there.</summary>
    bool HoldsLogs => true;

    /// <summary>Whether a catalog can lie there.</summary>
    bool HoldsCatalogs => true;

    /// <summary>The storage of one instance. Nothing is touched yet.</summary>
    ILogStorage OpenLog(string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment);

    /// <summary>The catalog. Nothing is touched before the first call.</summary>
    ICatalog OpenCatalog(string uri, LogStoreEnvironment environment);
}
