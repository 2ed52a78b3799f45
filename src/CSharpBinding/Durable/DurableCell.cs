using System.ComponentModel;
using System.Runtime.ExceptionServices;

namespace Ambrosia.Runtime;

/// <summary>
/// One-shot result that suspended code waits for; the untyped part of <see cref="DurableCell{T}"/>. Only the thread that runs the
/// immortal's turn may complete it.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class DurableCell : DurableWaiter
{
    // Pending: null, the only waiter, or a WaiterList. Failed: the exception. One slot keeps a remote call at one small object.
    private object? _slot;
    private CellStatus _status;

    private protected DurableCell()
    {
    }

    /// <summary>True once a result or an error is there.</summary>
    public bool IsCompleted => _status != CellStatus.Pending;

    /// <summary>True once a result is there.</summary>
    public bool IsCompletedSuccessfully => _status == CellStatus.Succeeded;

    /// <summary>True once an error is there.</summary>
    public bool IsFaulted => _status == CellStatus.Failed;

    /// <summary>The error of a failed cell, otherwise null.</summary>
    public Exception? Error => _status == CellStatus.Failed ? (Exception?)_slot : null;

    /// <summary>The waiter that came first; null when there is none, or the cell has completed.</summary>
    internal DurableWaiter? FirstWaiter =>
        _status != CellStatus.Pending ? null : _slot is WaiterList list ? list.First : (DurableWaiter?)_slot;

    /// <summary>Adds a waiter, to be resumed in a later step of the turn; one added to a completed cell is queued at once.</summary>
    public void AddWaiter(DurableWaiter waiter)
    {
        ArgumentNullException.ThrowIfNull(waiter);
        if (_status != CellStatus.Pending)
        {
            Turn.Required.Post(waiter, this);
        }
        else if (_slot is null)
        {
            _slot = waiter;
        }
        else if (_slot is WaiterList list)
        {
            list.Add(waiter);
        }
        else
        {
            _slot = new WaiterList((DurableWaiter)_slot, waiter);
        }
    }

    /// <summary>Forgets a waiter of a cell that is still pending; does nothing when it is not there.</summary>
    public void RemoveWaiter(DurableWaiter waiter)
    {
        if (_status != CellStatus.Pending)
        {
            return;
        }
        if (ReferenceEquals(_slot, waiter))
        {
            _slot = null;
        }
        else if (_slot is WaiterList list)
        {
            _slot = list.Remove(waiter);
        }
    }

    /// <summary>Fails the cell; false when it was complete already.</summary>
    /// <exception cref="InvalidOperationException">Called outside the immortal's turn.</exception>
    public bool TryFail(Exception error)
    {
        ArgumentNullException.ThrowIfNull(error);
        ProcessFailure.ThrowIfNotHandlers(error);
        return TryFinish(CellStatus.Failed, error);
    }

    /// <summary>Throws the error of a failed cell; a cell that is still pending cannot be waited for by blocking.</summary>
    public void ThrowIfNotSuccessful()
    {
        if (_status == CellStatus.Succeeded)
        {
            return;
        }
        if (_status == CellStatus.Failed)
        {
            ExceptionDispatchInfo.Throw((Exception)_slot!);
        }
        throw new InvalidOperationException(
            "The durable task is not complete: inside an immortal it can only be awaited, by a method that itself returns DurableTask. "
            + "Blocking would stop the immortal for ever, and a suspended 'async Task' would be missing in its checkpoint.");
    }

    /// <summary>A cell that waits for nothing is never resumed.</summary>
    protected internal override void Resume(DurableCell completed) =>
        throw new System.Diagnostics.UnreachableException($"{GetType().Name} waits for no cell.");

    private protected bool TrySucceed() => TryFinish(CellStatus.Succeeded, null);

    private bool TryFinish(CellStatus status, object? slot)
    {
        if (_status != CellStatus.Pending)
        {
            return false;
        }
        Turn turn = Turn.Required; // Checked even without waiters: a completion from a foreign thread must not depend on luck.
        object? waiters = _slot;
        _slot = slot;
        _status = status;
        OnFinished();
        if (waiters is WaiterList list)
        {
            list.PostAll(turn, this);
        }
        else if (waiters is not null)
        {
            turn.Post((DurableWaiter)waiters, this);
        }
        return true;
    }

    /// <summary>Runs once, when the cell has completed and before its waiters are queued.</summary>
    private protected virtual void OnFinished()
    {
    }

    /// <summary>Makes a fresh cell failed without a turn: nobody can wait for it yet.</summary>
    private protected void StartFailed(Exception error)
    {
        ProcessFailure.ThrowIfNotHandlers(error);
        _slot = error;
        _status = CellStatus.Failed;
    }
}
