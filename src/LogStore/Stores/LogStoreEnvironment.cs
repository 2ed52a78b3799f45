using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage.Local;

namespace Ambrosia.LogStore.Stores;

/// <summary>Everything outside itself that the log store uses: a simulator replaces all of it.</summary>
public sealed class LogStoreEnvironment : LogServices
{
    /// <summary>Files of <c>file:</c> stores. Default: the operating system's.</summary>
    public IFileSystem Files { get; init; } = SystemFiles.Create();

    /// <summary>
    /// Files of <c>memory:</c> stores; they live as long as that object. Default: a fresh disk, whose power nobody can cut.
    /// </summary>
    public IFileSystem Memory { get; init; } = new MemoryFileSystem { KeepsPlatter = false };

    /// <summary>Kinds of stores and catalogs beyond files and memory. Default: none.</summary>
    public IReadOnlyList<IStoreProvider> Stores { get; init; } = [];

    /// <summary>
    /// How this process names itself in lock files. Default: by its number and its start. Several of a simulator's processes are one to the
    /// operating system.
    /// </summary>
    internal string ProcessName { get; init; } = ProcessIdentity.Current;
}
