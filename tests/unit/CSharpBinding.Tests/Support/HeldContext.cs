namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>A world of its own whose work runs when the test says so, on the test's thread, in the order in which it was posted.</summary>
internal sealed class HeldContext : SynchronizationContext
{
    private readonly Queue<(SendOrPostCallback Callback, object? State)> _posted = new();

    public override void Post(SendOrPostCallback d, object? state) => _posted.Enqueue((d, state));

    /// <summary>Begins something there.</summary>
    public T Begin<T>(Func<T> action)
    {
        SynchronizationContext? before = Current;
        SetSynchronizationContext(this);
        try
        {
            return action();
        }
        finally
        {
            SetSynchronizationContext(before);
        }
    }

    /// <summary>Runs what was posted, and what that posts.</summary>
    public void RunPosted() => Begin(() =>
    {
        while (_posted.TryDequeue(out (SendOrPostCallback Callback, object? State) next))
        {
            next.Callback(next.State);
        }

        return true;
    });
}
