using System.Threading.Tasks.Sources;

namespace Ambrosia.Primitives.Threading;

/// <summary>Wakes one waiting loop. Set before the wait is remembered; several sets count as one. Allocates nothing.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class AsyncSignal : IValueTaskSource
{
    private const int Idle = 0;
    private const int Waiting = 1;
    private const int Signaled = 2;

    // Asynchronous continuations: the setter of the signal must never run the loop on its own stack.
    private ManualResetValueTaskSourceCore<bool> _source = new() { RunContinuationsAsynchronously = true };
    private int _state;

    /// <summary>Wakes the waiter, now or when it comes.</summary>
    public void Set()
    {
        if (Interlocked.Exchange(ref _state, Signaled) == Waiting)
        {
            _source.SetResult(true);
        }
    }

    /// <summary>Completes at the next <see cref="Set"/>, at once if there was one since the last wait. One waiter at a time.</summary>
    public ValueTask WaitAsync()
    {
        _source.Reset();
        return Interlocked.CompareExchange(ref _state, Waiting, Idle) == Idle ? new ValueTask(this, _source.Version) : ConsumeEarlySignal();
    }

    private ValueTask ConsumeEarlySignal()
    {
        Interlocked.Exchange(ref _state, Idle);
        return default;
    }

    void IValueTaskSource.GetResult(short token)
    {
        _source.GetResult(token);
        // A full fence: a set between completion and here is forgotten, so the loop that now looks for work must see what preceded that
        // set.
        Interlocked.Exchange(ref _state, Idle);
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);
}
