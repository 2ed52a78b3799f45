using Ambrosia.LogStore.Files.Memory;

namespace Ambrosia.Simulation.Tests;

/// <summary>Looks at every call that changes an instance's log or manifest: only the process that holds the lock may make it.</summary>
internal sealed class WriterWatch(SimOracle oracle, string instance)
{
    private readonly string _folder = $"/store/{instance}/";
    private readonly string _lock = $"/store/{instance}/lock";
    private readonly string _log = $"/store/{instance}/log/";

    /// <summary>A process is about to make a call.</summary>
    public void Look(MemoryFileSystem disk, MemoryProcess process, FileCall call)
    {
        if (call.Kind is FileCallKind.Write or FileCallKind.Truncate or FileCallKind.Rename or FileCallKind.Delete && BelongsToWriter(call))
        {
            oracle.Require(disk.HolderOf(_lock) == process,
                $"{instance}: {call.Kind} of {call.Path} by a process that does not hold the lock (D7)");
        }
    }

    private bool BelongsToWriter(FileCall call) =>
        call.Path.StartsWith(_log, StringComparison.Ordinal)
        || call.Path.StartsWith(_folder + "manifest.", StringComparison.Ordinal)
        || (call.Kind == FileCallKind.Delete && call.Path.EndsWith(".ckpt", StringComparison.Ordinal));
}
