using Ambrosia.LogStore;
using Ambrosia.LogStore.Files.Memory;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A disk in memory whose syncs of the log can be held: what was written then is not durable, for as long as a test likes.</summary>
public sealed class HeldDisk : IFileFaults
{
    private TaskCompletionSource _gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _waiting;

    public HeldDisk()
    {
        _gate.SetResult();
        Environment = new LogStoreEnvironment { Memory = new MemoryFileSystem { Faults = this } };
    }

    public LogStoreEnvironment Environment { get; }

    /// <summary>From here on no record becomes durable.</summary>
    public void Hold() => Volatile.Write(ref _gate, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));

    /// <summary>A record was written, and its sync waits.</summary>
    public Task UntilHeldAsync() => Within.Until(() => Volatile.Read(ref _waiting) > 0);

    public void Release() => Volatile.Read(ref _gate).TrySetResult();

    async ValueTask<FileFault> IFileFaults.BeforeAsync(FileCall call)
    {
        if (call.Kind == FileCallKind.SyncData && call.Path.EndsWith(".seg", StringComparison.Ordinal))
        {
            Interlocked.Increment(ref _waiting);
            await Volatile.Read(ref _gate).Task;
            Interlocked.Decrement(ref _waiting);
        }

        return FileFault.None;
    }
}
