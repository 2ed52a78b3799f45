using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files.Posix;

namespace Ambrosia.LogStore.Tests.Processes;

/// <summary>
/// Changes or removes the entry "bank" of a catalog, as it is found; before a given call the process stops, as by SIGSTOP from outside.
/// </summary>
internal static class StoppingPut
{
    /// <summary>A negative number: the entry is removed.</summary>
    public static async Task<int> RunAsync(string folder, int call)
    {
        var plain = new FileCatalog(new PosixFileSystem(), folder, TimeProvider.System);
        CatalogRow row = (await plain.GetAsync("bank"))!;
        var stopping = new FileCatalog(new StoppingFiles(Math.Abs(call)), folder, TimeProvider.System);
        bool done = call < 0 ? await stopping.RemoveAsync("bank", row.Version)
            : await stopping.PutAsync(row.Entry with { PeerAddress = "stopped" }, row.Version) is not null;
        Console.WriteLine(done ? "done" : "refused");
        return 0;
    }
}
