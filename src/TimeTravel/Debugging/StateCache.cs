using Ambrosia.TimeTravel.Link;

namespace Ambrosia.TimeTravel.Debugging;

/// <summary>
/// States taken on the way, so that a step back is a load and a short replay. When memory is used up, the past is kept more thinly than
/// the neighbourhood.
/// </summary>
internal sealed class StateCache(long maxBytes) : IDisposable
{
    private const int Neighbourhood = 32;
    private readonly SortedList<Position, HeldState> _states = [];
    private long _bytes;

    /// <summary>States kept.</summary>
    public int Count => _states.Count;

    public void Add(Position at, HeldState state)
    {
        if (!_states.TryAdd(at, state))
        {
            state.Dispose();
            return;
        }

        _bytes += state.MemorySize;
        if (_bytes > maxBytes)
        {
            Thin(at);
        }
    }

    /// <summary>The last state that is not beyond a position.</summary>
    public (Position At, HeldState State)? Nearest(Position notBeyond)
    {
        int low = 0;
        int high = _states.Count;
        while (low < high)
        {
            int middle = (low + high) / 2;
            if (_states.Keys[middle] <= notBeyond)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return low == 0 ? null : (_states.Keys[low - 1], _states.Values[low - 1]);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (HeldState state in _states.Values)
        {
            state.Dispose();
        }

        _states.Clear();
    }

    private void Thin(Position present)
    {
        int here = Math.Max(0, _states.IndexOfKey(present));
        for (int i = _states.Count - 2; i > 0 && _bytes > maxBytes / 2; i -= 2)
        {
            if (Math.Abs(i - here) > Neighbourhood || _states.Count <= 2 * Neighbourhood)
            {
                _bytes -= _states.Values[i].MemorySize;
                _states.Values[i].Dispose();
                _states.RemoveAt(i);
            }
        }
    }
}
