using System.IO.Pipelines;

namespace Ambrosia.ImmortalCoordinator.Transport.Memory;

/// <summary>One direction of a <see cref="MemoryLink"/>: a pipe whose reader can be made to see nothing.</summary>
internal sealed class MemoryWire(MemoryNetworkOptions options)
{
    private readonly object _gate = new();
    private TaskCompletionSource? _stalled;

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
                return _stalled is not null;
            }
        }
    }

    /// <summary>Holds or releases what is under way.</summary>
    public void SetStalled(bool stalled)
    {
        lock (_gate)
        {
            if (stalled)
            {
                _stalled ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            }
            else
            {
                _stalled?.SetResult();
                _stalled = null;
            }
        }
    }

    /// <summary>Ends when nothing is held; at once when nothing is.</summary>
    public Task WhileStalled
    {
        get
        {
            lock (_gate)
            {
                return _stalled?.Task ?? Task.CompletedTask;
            }
        }
    }
}
