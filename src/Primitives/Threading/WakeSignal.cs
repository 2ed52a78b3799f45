using System.Threading.Tasks.Sources;

namespace Ambrosia.Primitives.Threading;

/// <summary>
/// Wakes the one loop that owns it; sets before the wait are remembered, several count as one. Used on the core's context only,
/// so it needs no interlocked operations, and it allocates nothing.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class WakeSignal : IValueTaskSource
{
    // Asynchronous continuations: the setter of the signal never runs the loop on its own stack.
    private ManualResetValueTaskSourceCore<bool> _source = new() { RunContinuationsAsynchronously = true };
    private bool _set;
    private bool _waiting;

    public void Set()
    {
        if (_waiting)
        {
            _waiting = false;
            _source.SetResult(true);
        }
        else
        {
            _set = true;
        }
    }

    /// <summary>Completes at the next <see cref="Set"/>, at once if there was one since the last wait.</summary>
    public ValueTask WaitAsync()
    {
        if (_set)
        {
            _set = false;
            return default;
        }

        _source.Reset();
        _waiting = true;
        return new ValueTask(this, _source.Version);
    }

    void IValueTaskSource.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);
}
