using Ambrosia.LogStore;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>
/// A disk in memory whose syncs of the log can be held: what was written then is not durable, for as long as a test likes. So can be a read
/// of the log and the opening of checkpoints, or refused.
/// </summary>
public sealed class HeldDisk : IFileFaults
{
    private TaskCompletionSource _gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource? _checkpoints;
    private TaskCompletionSource? _read;
    private bool _holdsHeaders;
    private int _waiting;

    public HeldDisk()
    {
        _gate.SetResult();
        Environment = new LogStoreEnvironment { Memory = new MemoryFileSystem { Faults = this } };
    }

    public LogStoreEnvironment Environment { get; }

    /// <summary>From here on no record becomes durable.</summary>
    public void Hold() => Volatile.Write(ref _gate, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));

    /// <summary>From here on nothing of a segment is synced, its header included: nobody becomes the writer of the log.</summary>
    public void HoldHeaders()
    {
        Hold();
        _holdsHeaders = true;
    }

    /// <summary>A record was written, and its sync waits.</summary>
    public Task UntilHeldAsync() => Within.Until(() => Volatile.Read(ref _waiting) > 0);

    public void Release() => Volatile.Read(ref _gate).TrySetResult();

    /// <summary>From here on an opening of a checkpoint waits, until the answer is completed.</summary>
    public TaskCompletionSource HoldCheckpoints() =>
        _checkpoints = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The next read of the log waits until what is returned is completed; the others do not.</summary>
    public TaskCompletionSource HoldNextRead()
    {
        var read = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Volatile.Write(ref _read, read);
        return read;
    }

    /// <summary>A read of the log waits.</summary>
    public Task UntilReadIsHeldAsync() => Within.Until(() => Volatile.Read(ref _read) is null, TimeSpan.FromSeconds(20));

    /// <summary>Whether no checkpoint can be opened, as by a process that has no descriptors left.</summary>
    public bool RefusesCheckpoints { get; set; }

    /// <summary>Files that cannot be locked, by a part of their names; empty for none.</summary>
    public string RefusesLocks { get; set; } = "";

    async ValueTask<FileFault> IFileFaults.BeforeAsync(FileCall call)
    {
        if ((call.Kind == FileCallKind.SyncData && call.Path.EndsWith(".seg", StringComparison.Ordinal))
            || (_holdsHeaders && call.Kind == FileCallKind.Sync && call.Path.Contains("/log/", StringComparison.Ordinal)))
        {
            Interlocked.Increment(ref _waiting);
            await Volatile.Read(ref _gate).Task;
            Interlocked.Decrement(ref _waiting);
        }

        if (call.Kind == FileCallKind.Read && call.Path.EndsWith(".seg", StringComparison.Ordinal)
            && Interlocked.Exchange(ref _read, null) is { } read)
        {
            await read.Task;
        }

        if (call.Kind == FileCallKind.Open && call.Path.EndsWith(".ckpt", StringComparison.Ordinal))
        {
            await (Volatile.Read(ref _checkpoints)?.Task ?? Task.CompletedTask);
            return RefusesCheckpoints ? new FileFault(Errno.EMFILE) : FileFault.None;
        }

        return call.Kind == FileCallKind.Lock && RefusesLocks.Length > 0 && call.Path.Contains(RefusesLocks, StringComparison.Ordinal)
            ? new FileFault(Errno.EACCES) : FileFault.None;
    }
}
