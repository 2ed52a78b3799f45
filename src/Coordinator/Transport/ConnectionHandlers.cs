namespace Ambrosia.Coordinator.Transport;

/// <summary>Runs the handlers of one listener's connections and counts them; what all transports share.</summary>
internal sealed class ConnectionHandlers(Func<IConnection, Task> onConnection, Action<IConnection, Exception>? onLost = null)
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _open;

    /// <summary>Connections whose handler has not ended.</summary>
    public int Open => Volatile.Read(ref _open);

    /// <summary>See <see cref="IListener.Completion"/>.</summary>
    public Task Completion => _completion.Task;

    /// <summary>Hands the connection over and closes it when its handler ends. Never throws.</summary>
    public async Task RunAsync(IConnection connection)
    {
        Interlocked.Increment(ref _open);
        try
        {
            await onConnection(connection);
        }
        catch (Exception error) when (error is OperationCanceledException || error is IOException { } lost && Breakage.OfConnection(lost))
        {
            onLost?.Invoke(connection, error);
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            connection.Abort();
            _completion.TrySetException(error);
        }
        finally
        {
            await connection.DisposeAsync();
            Interlocked.Decrement(ref _open);
        }
    }

    /// <summary>The listener accepts no more.</summary>
    public void Stop() => _completion.TrySetResult();

    /// <summary>Accepting failed in a way that is our own mistake.</summary>
    public void Fail(Exception error) => _completion.TrySetException(error);
}
