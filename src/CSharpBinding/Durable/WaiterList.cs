namespace Ambrosia.Runtime;

/// <summary>The waiters of a cell that has more than one, in the order in which they came.</summary>
internal sealed class WaiterList
{
    private DurableWaiter?[] _waiters = new DurableWaiter?[4];
    private int _count;

    public WaiterList(DurableWaiter first, DurableWaiter second)
    {
        _waiters[0] = first;
        _waiters[1] = second;
        _count = 2;
    }

    /// <summary>The one that came first; null if none is left.</summary>
    public DurableWaiter? First => _waiters[0];

    public void Add(DurableWaiter waiter)
    {
        if (_count == _waiters.Length)
        {
            Array.Resize(ref _waiters, 2 * _count);
        }
        _waiters[_count++] = waiter;
    }

    /// <summary>
    /// What the cell keeps afterwards: nothing, the last waiter alone, or this list. The same waiters always leave the same shape, so that
    /// replicas agree in their state hash.
    /// </summary>
    public object? Remove(DurableWaiter waiter)
    {
        int at = Array.IndexOf(_waiters, waiter, 0, _count);
        if (at >= 0)
        {
            _count--;
            Array.Copy(_waiters, at + 1, _waiters, at, _count - at);
            _waiters[_count] = null;
        }
        return _count switch { 0 => null, 1 => _waiters[0], _ => this };
    }

    public void PostAll(Turn turn, DurableCell completed)
    {
        for (int i = 0; i < _count; i++)
        {
            turn.Post(_waiters[i]!, completed);
        }
    }
}
