namespace Ambrosia.Runtime;

/// <summary>The outcome of a cell, or an <see cref="OperationCanceledException"/> if its cancellation comes first.</summary>
internal sealed class CancellableCell<T> : DurableCell<T>
{
    private DurableCell? _source; // Not DurableCell<T>: a task without a result may wait for a cell of any type.
    private DurableCell? _cancelled;

    private CancellableCell(DurableCell source, DurableCell cancelled)
    {
        _source = source;
        _cancelled = cancelled;
    }

    public static DurableCell<T> Start(DurableCell source, DurableCancellation cancellation)
    {
        if (cancellation.IsCancelled)
        {
            return new DurableCell<T>(DurableCancellation.NewException());
        }
        CancellableCell<T> cell = new(source, cancellation.Cell);
        cancellation.Cell.AddWaiter(cell);
        source.AddWaiter(cell);
        return cell;
    }

    protected internal override void Resume(DurableCell completed)
    {
        if (_source is not { } source)
        {
            return;
        }
        DurableCell cancelled = _cancelled!;
        _source = null;
        _cancelled = null;
        if (ReferenceEquals(completed, cancelled))
        {
            source.RemoveWaiter(this);
            TryFail(DurableCancellation.NewException());
        }
        else
        {
            cancelled.RemoveWaiter(this);
            Forward.Outcome(source, this);
        }
    }
}
