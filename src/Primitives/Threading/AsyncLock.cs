namespace Ambrosia.Primitives.Threading;

/// <summary>Lets one asynchronous section run at a time, in the order of asking.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class AsyncLock
{
    private Task _last = Task.CompletedTask;

    /// <summary>Waits for the turn; disposing the answer ends it.</summary>
    public async ValueTask<IDisposable> EnterAsync()
    {
        var turn = new Turn();
        await Interlocked.Exchange(ref _last, turn.Ended);
        return turn;
    }

    private sealed class Turn : IDisposable
    {
        private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Ended => _ended.Task;

        public void Dispose() => _ended.TrySetResult();
    }
}
