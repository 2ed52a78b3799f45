using System.ComponentModel;
using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>Awaits a <see cref="DurableTask{T}"/>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct DurableTaskAwaiter<T> : ICriticalNotifyCompletion, IDurableAwaiter
{
    private readonly DurableCell<T>? _cell;
    private readonly T? _result;

    internal DurableTaskAwaiter(DurableCell<T>? cell, T? result)
    {
        _cell = cell;
        _result = result;
    }

    /// <summary>True when no suspension is needed.</summary>
    public bool IsCompleted => _cell is null || _cell.IsCompleted;

    /// <summary>The result; throws the error of a failed task.</summary>
    public T GetResult() => _cell is null ? _result! : _cell.GetResult();

    void IDurableAwaiter.AddWaiter(DurableWaiter waiter) => _cell!.AddWaiter(waiter);

    /// <inheritdoc/>
    public void OnCompleted(Action continuation) => DelegateWaiter.Add(_cell!, continuation);

    /// <inheritdoc/>
    public void UnsafeOnCompleted(Action continuation) => DelegateWaiter.Add(_cell!, continuation);
}
