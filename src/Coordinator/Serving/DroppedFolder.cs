using Ambrosia.Coordinator.Settings;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Coordinator.Serving;

/// <summary>Where outputs are kept that were dropped. Nothing removes them but a person.</summary>
internal static class DroppedFolder
{
    /// <summary>The folder, which need not exist, and what it is made of.</summary>
    public static (IFileSystem Files, string Folder) Of(InstanceSettings options, LogStoreEnvironment environment)
    {
        bool inMemory = options.Store.StartsWith("memory:", StringComparison.Ordinal);
        return options.DroppedOutputs.Length > 0
            ? (environment.Files, options.DroppedOutputs)
            : (inMemory ? environment.Memory : environment.Files,
                Path.Combine(LogStores.RootOf(options.Store), options.InstanceName, "dropped"));
    }
}
