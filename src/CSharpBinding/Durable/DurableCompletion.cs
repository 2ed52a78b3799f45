using Ambrosia.Runtime;

namespace Ambrosia;

/// <summary>
/// A task completed by the immortal's own code: what a TaskCompletionSource is to ordinary code, but part of the state. Used inside turns
/// only.
/// </summary>
public sealed class DurableCompletion<T>
{
    private readonly DurableCell<T> _cell = new();

    /// <summary>What others await.</summary>
    public DurableTask<T> Task => new(_cell);

    /// <summary>Completes the task; false when it was complete already.</summary>
    public bool TrySetResult(T result) => _cell.TryComplete(result);

    /// <summary>Fails the task; false when it was complete already.</summary>
    public bool TrySetException(Exception exception) => _cell.TryFail(exception);

    /// <summary>Completes the task.</summary>
    /// <exception cref="InvalidOperationException">It was complete already.</exception>
    public void SetResult(T result) => Required(TrySetResult(result));

    /// <summary>Fails the task.</summary>
    /// <exception cref="InvalidOperationException">It was complete already.</exception>
    public void SetException(Exception exception) => Required(TrySetException(exception));

    private static void Required(bool done)
    {
        if (!done)
        {
            throw new InvalidOperationException("The durable completion is complete already.");
        }
    }
}
