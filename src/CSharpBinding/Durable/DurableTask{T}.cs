using System.Runtime.CompilerServices;
using Ambrosia.Runtime;

namespace Ambrosia;

/// <summary>
/// The result, now or later, of an immortal's asynchronous method. Awaiting it survives crashes, checkpoints and moves to
/// another machine: the suspended method is part of the immortal's state. A completed one costs no object, and
/// <c>default</c> is a completed one. May be awaited more than once, but only from methods that themselves return a durable task.
/// </summary>
[AsyncMethodBuilder(typeof(DurableTaskMethodBuilder<>))]
public readonly struct DurableTask<T> : IEquatable<DurableTask<T>>
{
    private readonly DurableCell<T>? _cell;
    private readonly T? _result;

    /// <summary>A completed task.</summary>
    public DurableTask(T result) => _result = result;

    internal DurableTask(DurableCell<T> cell) => _cell = cell;

    internal DurableCell<T>? Cell => _cell;

    /// <summary>True once the result or an error is there.</summary>
    public bool IsCompleted => _cell is null || _cell.IsCompleted;

    /// <summary>True once the result is there.</summary>
    public bool IsCompletedSuccessfully => _cell is null || _cell.IsCompletedSuccessfully;

    /// <summary>True once the task has failed.</summary>
    public bool IsFaulted => _cell is not null && _cell.IsFaulted;

    /// <summary>The error of a failed task, otherwise null.</summary>
    public Exception? Exception => _cell?.Error;

    /// <summary>The result of a completed task; throws the error of a failed one.</summary>
    /// <exception cref="InvalidOperationException">The task is not complete: it can be awaited, but not waited for by blocking.</exception>
    public T Result => _cell is null ? _result! : _cell.GetResult();

    /// <summary>A completed task that holds <paramref name="result"/>.</summary>
    public static implicit operator DurableTask<T>(T result) => new(result);

    /// <summary>The same task without its result.</summary>
    public static implicit operator DurableTask(DurableTask<T> task) => new(task._cell);

    /// <inheritdoc cref="Equals(DurableTask{T})"/>
    public static bool operator ==(DurableTask<T> left, DurableTask<T> right) => left.Equals(right);

    /// <inheritdoc cref="Equals(DurableTask{T})"/>
    public static bool operator !=(DurableTask<T> left, DurableTask<T> right) => !left.Equals(right);

    /// <summary>Used by <c>await</c>.</summary>
    public DurableTaskAwaiter<T> GetAwaiter() => new(_cell, _result);

    /// <summary>The same task without its result.</summary>
    public DurableTask ToDurableTask() => new(_cell);

    /// <summary>
    /// The same result, or a <see cref="TimeoutException"/> if it is not there after <paramref name="timeout"/> of log time. The call
    /// itself goes on.
    /// </summary>
    public DurableTask<T> WithTimeout(TimeSpan timeout) =>
        _cell is null || _cell.IsCompleted ? this : new(TimeoutCell<T>.Start(_cell, timeout));

    /// <summary>
    /// The same result, or an <see cref="OperationCanceledException"/> if <paramref name="cancellation"/> comes first. The call itself
    /// goes on.
    /// </summary>
    public DurableTask<T> WithCancellation(DurableCancellation cancellation)
    {
        ArgumentNullException.ThrowIfNull(cancellation);
        return _cell is null || _cell.IsCompleted ? this : new(CancellableCell<T>.Start(_cell, cancellation));
    }

    /// <summary>True for two values of one task, or two completed ones with equal results.</summary>
    public bool Equals(DurableTask<T> other) =>
        ReferenceEquals(_cell, other._cell) && (_cell is not null || EqualityComparer<T>.Default.Equals(_result, other._result));

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is DurableTask<T> other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => _cell is not null ? RuntimeHelpers.GetHashCode(_cell) : _result?.GetHashCode() ?? 0;
}
