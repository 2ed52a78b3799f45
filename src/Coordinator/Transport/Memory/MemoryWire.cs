using System.IO.Pipelines;

namespace Ambrosia.Coordinator.Transport.Memory;

/// <summary>One direction of a <see cref="MemoryLink"/>: a pipe whose reader can be made to see nothing.</summary>
internal sealed class MemoryWire(MemoryNetworkOptions options)
{
    private readonly object _gate = new();
    private bool _stalled;
    private TaskCompletionSource? _waiter;

    public Pipe Pipe { get; } = new(new PipeOptions(
        readerScheduler: options.Scheduler,
        writerScheduler: options.Scheduler,
        pauseWriterThreshold: options.BufferBytes,
        resumeWriterThreshold: options.BufferBytes / 2,
        minimumSegmentSize: 16 * 1024,
        useSynchronizationContext: true));

    public bool IsStalled
    {
        get
        {
            lock (_gate)
            {
                return _stalled;
            }
        }
    }

    /// <summary>Holds or releases what is under way.</summary>
    public void SetStalled(bool stalled)
    {
        TaskCompletionSource? released = null;
        lock (_gate)
        {
            _stalled = stalled;
            if (!stalled)
            {
                (released, _waiter) = (_waiter, null);
            }
        }

        released?.TrySetResult();
    }

    /// <summary>
    /// Completes <paramref name="waiter"/> when nothing is held; at once when nothing is. One waiter at a time: the reader.
    /// </summary>
    public void Release(TaskCompletionSource waiter)
    {
        lock (_gate)
        {
            if (_stalled)
            {
                _waiter = waiter;
                return;
            }
        }

        waiter.TrySetResult();
    }
}
