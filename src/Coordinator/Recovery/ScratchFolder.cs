using Ambrosia.Coordinator.Settings;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Coordinator.Recovery;

/// <summary>
/// Where output goes that waits and does not fit into memory. Nothing in it outlives the process. Replicas of an instance have one each,
/// because they live at the same time.
/// </summary>
internal static class ScratchFolder
{
    /// <summary>
    /// The folder, made and empty, and what it is made of. Only the writer of the log, or the holder of the replica's number, may ask:
    /// another process could be using it.
    /// </summary>
    public static async ValueTask<(IFileSystem Files, string Folder)> PrepareAsync(
        InstanceSettings options, LogStoreEnvironment environment)
    {
        string suffix = options.ReplicaId is { } number ? $".{number}" : "";
        if (options.Scratch.Length > 0)
        {
            return (environment.Files, await EmptyAsync(environment.Files, options.Scratch + suffix));
        }

        bool inMemory = options.Store.StartsWith("memory:", StringComparison.Ordinal);
        IFileSystem files = inMemory ? environment.Memory : environment.Files;
        string folder = Path.Combine(LogStores.RootOf(options.Store), options.InstanceName, "scratch" + suffix);
        // Without a number it is the store's own, which has made and emptied it.
        return (files, suffix.Length == 0 ? folder : await EmptyAsync(files, folder));
    }

    private static async ValueTask<string> EmptyAsync(IFileSystem files, string folder)
    {
        await files.CreateFolderAsync(folder);
        foreach (string name in await files.ListAsync(folder))
        {
            if (name.EndsWith(".spill", StringComparison.Ordinal))
            {
                await files.DeleteAsync(Path.Combine(folder, name));
            }
        }

        return folder;
    }
}
