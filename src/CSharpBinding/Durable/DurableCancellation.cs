using Ambrosia.Runtime;

namespace Ambrosia;

/// <summary>
/// A request to stop that is part of the immortal's state: what a CancellationTokenSource is to ordinary code. Used inside turns only.
/// </summary>
public sealed class DurableCancellation
{
    internal DurableCell<Nothing> Cell { get; } = new();

    /// <summary>True once <see cref="Cancel"/> was called.</summary>
    public bool IsCancelled => Cell.IsCompleted;

    /// <summary>Completes when <see cref="Cancel"/> is called.</summary>
    public DurableTask WhenCancelled => new(Cell);

    /// <summary>
    /// Asks to stop; a wait with <see cref="DurableTask.WithCancellation"/> ends with an <see cref="OperationCanceledException"/>. A second
    /// call does nothing.
    /// </summary>
    public void Cancel() => Cell.TryComplete(default);

    /// <summary>Throws an <see cref="OperationCanceledException"/> once <see cref="Cancel"/> was called.</summary>
    public void ThrowIfCancelled()
    {
        if (IsCancelled)
        {
            throw NewException();
        }
    }

    /// <summary>One that nobody can ask to stop: what has it is good for nothing, and says why. A checkpoint keeps that.</summary>
    internal static DurableCancellation Refusing(string advice)
    {
        var refusing = new DurableCancellation();
        refusing.Cell.TryFail(new InvalidOperationException(advice));
        return refusing;
    }

    internal void ThrowIfRefusing()
    {
        if (Cell.Error is { } refusal)
        {
            throw new InvalidOperationException(refusal.Message);
        }
    }

    internal static OperationCanceledException NewException() => new("Cancelled by a durable cancellation.");
}
