using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;

namespace Ambrosia.Coordinator.Transport;

/// <summary>Tells a broken connection, which is daily bread, from a broken disk, which is the end.</summary>
internal static class Breakage
{
    public static bool OfConnection(IOException error) => error is not (LogStoreException or FileFailedException);
}
