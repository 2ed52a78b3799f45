namespace Ambrosia.Runtime;

/// <summary>The outcome of a cell, or a <see cref="TimeoutException"/> if its timer comes first.</summary>
internal sealed class TimeoutCell<T> : DurableCell<T>
{
    private DurableCell? _source; // Not DurableCell<T>: a task without a result may wait for a cell of any type.
    private DurableTimer? _timer;
    private readonly TimeSpan _timeout;

    private TimeoutCell(DurableCell source, TimeSpan timeout)
    {
        _source = source;
        _timeout = timeout;
    }

    public static TimeoutCell<T> Start(DurableCell source, TimeSpan timeout)
    {
        TimeoutCell<T> cell = new(source, timeout) { _timer = DurableTimer.Start(timeout) };
        cell._timer.AddWaiter(cell);
        source.AddWaiter(cell);
        return cell;
    }

    protected internal override void Resume(DurableCell completed)
    {
        if (_source is not { } source)
        {
            return;
        }
        DurableTimer timer = _timer!;
        _source = null;
        _timer = null;
        if (ReferenceEquals(completed, timer))
        {
            source.RemoveWaiter(this);
            TryFail(new TimeoutException($"No result after {_timeout} of log time."));
        }
        else
        {
            timer.RemoveWaiter(this);
            timer.Cancel();
            Forward.Outcome(source, this);
        }
    }
}
