using System.IO.Pipelines;

namespace Ambrosia.Coordinator.Transport.Memory;

/// <summary>Knobs of <see cref="MemoryNetwork"/>.</summary>
public sealed class MemoryNetworkOptions
{
    /// <summary>Bytes that one direction holds before its writer waits, as the system's socket buffers would. Default 256 KiB.</summary>
    public int BufferBytes { get; init; } = 256 * 1024;

    /// <summary>
    /// Where continuations run that were not awaited on a SynchronizationContext; those always return to their own. Default: the thread
    /// pool.
    /// </summary>
    public PipeScheduler Scheduler { get; init; } = PipeScheduler.ThreadPool;
}
