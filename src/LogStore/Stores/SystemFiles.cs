using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Managed;
using Ambrosia.LogStore.Files.Posix;

namespace Ambrosia.LogStore.Stores;

/// <summary>The operating system's files.</summary>
public static class SystemFiles
{
    /// <summary>By the calls of Linux, or else by what the runtime offers.</summary>
    public static IFileSystem Create() => Platform.UsesLinuxCalls ? new PosixFileSystem() : new ManagedFileSystem();
}
