using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Ambrosia.Coordinator.Transport.Memory;

/// <summary>The receiving end of a <see cref="MemoryWire"/>.</summary>
internal sealed class MemoryWireReader(MemoryWire wire, MemoryConnection connection) : PipeReader
{
    private readonly PipeReader _inner = wire.Pipe.Reader;
    private readonly object _gate = new();
    private TaskCompletionSource? _wake;
    private bool _wakeRequested;

    public override void AdvanceTo(SequencePosition consumed) => _inner.AdvanceTo(consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => _inner.AdvanceTo(consumed, examined);

    public override void Complete(Exception? exception = null)
    {
        if (!connection.IsSevered)
        {
            _inner.Complete(exception);
        }
    }

    public override void CancelPendingRead()
    {
        lock (_gate)
        {
            _wakeRequested = true;
            _wake?.TrySetResult();
        }

        _inner.CancelPendingRead();
    }

    public override bool TryRead(out ReadResult result)
    {
        connection.ThrowIfBroken();
        result = default;
        if (wire.IsStalled || !_inner.TryRead(out result))
        {
            return false;
        }

        _wakeRequested &= !result.IsCanceled;
        return true;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        while (true)
        {
            connection.ThrowIfBroken();
            if (wire.IsStalled)
            {
                await WaitWhileStalledAsync(cancellationToken);
            }

            ReadResult result = await _inner.ReadAsync(cancellationToken);
            connection.ThrowIfBroken();
            if (result.IsCanceled)
            {
                _wakeRequested = false;
                return wire.IsStalled ? new ReadResult(result.Buffer.Slice(0, 0), isCanceled: true, isCompleted: false) : result;
            }

            if (!wire.IsStalled)
            {
                return result;
            }

            // It arrived while the wire was being stalled: put it back, all of it unseen.
            _inner.AdvanceTo(result.Buffer.Start);
        }
    }

    private async Task WaitWhileStalledAsync(CancellationToken cancellationToken)
    {
        TaskCompletionSource wake;
        lock (_gate)
        {
            if (_wakeRequested)
            {
                _wakeRequested = false;
                return; // The inner reader was cancelled too and says so next.
            }

            wake = _wake = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        // One source for all three events: Task.WhenAny and WaitAsync would go through the thread pool, where a simulated world cannot
        // follow.
        wire.Release(wake);
        using (cancellationToken.UnsafeRegister(static (state, token) => ((TaskCompletionSource)state!).TrySetCanceled(token), wake))
        {
            await wake.Task;
        }
    }
}
