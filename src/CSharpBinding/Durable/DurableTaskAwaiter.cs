using System.ComponentModel;
using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>Awaits a <see cref="DurableTask"/>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct DurableTaskAwaiter : ICriticalNotifyCompletion, IDurableAwaiter
{
    private readonly DurableCell? _cell;

    internal DurableTaskAwaiter(DurableCell? cell) => _cell = cell;

    /// <summary>True when no suspension is needed.</summary>
    public bool IsCompleted => _cell is null || _cell.IsCompleted;

    /// <summary>Throws the error of a failed task.</summary>
    public void GetResult() => _cell?.ThrowIfNotSuccessful();

    void IDurableAwaiter.AddWaiter(DurableWaiter waiter) => _cell!.AddWaiter(waiter);

    /// <inheritdoc/>
    public void OnCompleted(Action continuation) => DelegateWaiter.Add(_cell!, continuation);

    /// <inheritdoc/>
    public void UnsafeOnCompleted(Action continuation) => DelegateWaiter.Add(_cell!, continuation);
}
