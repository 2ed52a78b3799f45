using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Files.Posix;
using Ambrosia.LogStore.Settings;
using Ambrosia.Primitives.Loops;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.LogStore.Stores;

/// <summary>Everything outside itself that the log store uses: a simulator replaces all of it.</summary>
public sealed class LogStoreEnvironment
{
    /// <summary>Files of <c>file:</c> stores. Default: the operating system's.</summary>
    public IFileSystem Files { get; init; } = new PosixFileSystem();

    /// <summary>Files of <c>memory:</c> stores; they live as long as that object. Default: a fresh disk, whose power nobody can cut.</summary>
    public IFileSystem Memory { get; init; } = new MemoryFileSystem { KeepsPlatter = false };

    /// <summary>Kinds of stores and catalogs beyond files and memory. Default: none.</summary>
    public IReadOnlyList<Storage.IStoreProvider> Stores { get; init; } = [];

    /// <summary>Where the log's own loops run. Default: one thread each.</summary>
    public ILoopRunner Loops { get; init; } = new ThreadLoopRunner();

    /// <summary>Clock of record timestamps and of the identity checks. Default: the system's.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Randomness for instance ids. Default: the operating system's.</summary>
    public IEntropy Entropy { get; init; } = new SystemEntropy();

    /// <summary>What ends the process after a failed sync. Default: one line, then _exit.</summary>
    public IFatal Fatal { get; init; } = new ProcessFatal();

    /// <summary>Receives events 2000 to 2999. Default: nobody.</summary>
    public ILogger Logger { get; init; } = NullLogger.Instance;

    /// <summary>How this process names itself in lock files. Default: by its number and its start. Several of a simulator's processes are one to the operating system.</summary>
    internal string ProcessName { get; init; } = Storage.Local.ProcessIdentity.Current;

    /// <summary>Decides in a test who moves next where threads meet.</summary>
    internal IPageProbe? Probe { get; init; }
}
