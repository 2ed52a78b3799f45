using System.Runtime.CompilerServices;
using Ambrosia.Runtime;

namespace Ambrosia;

/// <summary>
/// The completion, now or later, of an immortal's asynchronous method that returns no value; see <see cref="DurableTask{T}"/>.
/// <c>default</c> is a completed one.
/// </summary>
[AsyncMethodBuilder(typeof(DurableTaskMethodBuilder))]
public readonly struct DurableTask : IEquatable<DurableTask>
{
    private readonly DurableCell? _cell;

    internal DurableTask(DurableCell? cell) => _cell = cell;

    internal DurableCell? Cell => _cell;

    /// <summary>A completed task; the same as <c>default</c>.</summary>
    public static DurableTask CompletedTask => default;

    /// <summary>True once the task has completed or failed.</summary>
    public bool IsCompleted => _cell is null || _cell.IsCompleted;

    /// <summary>True once the task has completed without an error.</summary>
    public bool IsCompletedSuccessfully => _cell is null || _cell.IsCompletedSuccessfully;

    /// <summary>True once the task has failed.</summary>
    public bool IsFaulted => _cell is not null && _cell.IsFaulted;

    /// <summary>The error of a failed task, otherwise null.</summary>
    public Exception? Exception => _cell?.Error;

    /// <inheritdoc cref="Equals(DurableTask)"/>
    public static bool operator ==(DurableTask left, DurableTask right) => left.Equals(right);

    /// <inheritdoc cref="Equals(DurableTask)"/>
    public static bool operator !=(DurableTask left, DurableTask right) => !left.Equals(right);

    /// <summary>
    /// A completed task that holds <paramref name="result"/>; needed where T is an interface, otherwise a value converts by itself.
    /// </summary>
    public static DurableTask<T> FromResult<T>(T result) => new(result);

    /// <summary>A failed task.</summary>
    public static DurableTask FromException(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return new(new DurableCell<Nothing>(exception));
    }

    /// <summary>A failed task.</summary>
    public static DurableTask<T> FromException<T>(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return new(new DurableCell<T>(exception));
    }

    /// <summary>
    /// Completes when all have completed. If some failed, it fails with the error of the first of those in the order given.
    /// </summary>
    public static DurableTask WhenAll(params DurableTask[] tasks) => new(WhenAllCell.Start(Copy(tasks)));

    /// <inheritdoc cref="WhenAll(DurableTask[])"/>
    public static DurableTask WhenAll(IEnumerable<DurableTask> tasks) => new(WhenAllCell.Start([.. tasks]));

    /// <summary>
    /// All results in the order given, once all are there. If some failed, it fails with the error of the first of those in the order
    /// given.
    /// </summary>
    public static DurableTask<T[]> WhenAll<T>(params DurableTask<T>[] tasks) => WhenAllCell<T>.Start(Copy(tasks));

    /// <inheritdoc cref="WhenAll{T}(DurableTask{T}[])"/>
    public static DurableTask<T[]> WhenAll<T>(IEnumerable<DurableTask<T>> tasks) => WhenAllCell<T>.Start([.. tasks]);

    /// <summary>The first task to complete or fail; of several complete ones the first in the order given.</summary>
    /// <exception cref="ArgumentException">No task is given.</exception>
    public static DurableTask<DurableTask> WhenAny(params DurableTask[] tasks) => WhenAnyCell.Start(Copy(tasks));

    /// <inheritdoc cref="WhenAny(DurableTask[])"/>
    public static DurableTask<DurableTask> WhenAny(IEnumerable<DurableTask> tasks) => WhenAnyCell.Start([.. tasks]);

    /// <inheritdoc cref="WhenAny(DurableTask[])"/>
    public static DurableTask<DurableTask<T>> WhenAny<T>(params DurableTask<T>[] tasks) => WhenAnyCell<T>.Start(Copy(tasks));

    /// <inheritdoc cref="WhenAny(DurableTask[])"/>
    public static DurableTask<DurableTask<T>> WhenAny<T>(IEnumerable<DurableTask<T>> tasks) => WhenAnyCell<T>.Start([.. tasks]);

    /// <summary>Used by <c>await</c>.</summary>
    public DurableTaskAwaiter GetAwaiter() => new(_cell);

    /// <summary>
    /// The same completion, or a <see cref="TimeoutException"/> if it is not there after <paramref name="timeout"/> of log time. The call
    /// itself goes on.
    /// </summary>
    public DurableTask WithTimeout(TimeSpan timeout) =>
        _cell is null || _cell.IsCompleted ? this : new(TimeoutCell<Nothing>.Start(_cell, timeout));

    /// <summary>
    /// The same completion, or an <see cref="OperationCanceledException"/> if <paramref name="cancellation"/> comes first. The call itself
    /// goes on.
    /// </summary>
    public DurableTask WithCancellation(DurableCancellation cancellation)
    {
        ArgumentNullException.ThrowIfNull(cancellation);
        return _cell is null || _cell.IsCompleted ? this : new(CancellableCell<Nothing>.Start(_cell, cancellation));
    }

    /// <summary>True for two values of one task, or two completed ones.</summary>
    public bool Equals(DurableTask other) => ReferenceEquals(_cell, other._cell);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is DurableTask other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => RuntimeHelpers.GetHashCode(_cell);

    // The caller may change its array while we wait.
    private static TTask[] Copy<TTask>(TTask[] tasks)
    {
        ArgumentNullException.ThrowIfNull(tasks);
        return [.. tasks];
    }
}
