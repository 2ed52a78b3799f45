using Ambrosia.TimeTravel.Link;

namespace Ambrosia.TimeTravel.Debugging;

/// <summary>
/// Decides when a state is taken on the way: often enough that a step back is short, seldom enough that it costs a quarter of the time at
/// most.
/// </summary>
internal sealed class CachePacing(TimeProvider time, StateCache cache)
{
    private const int CostFactor = 3;
    private static readonly TimeSpan s_least = TimeSpan.FromMilliseconds(40);
    private long _taken = time.GetTimestamp();
    private TimeSpan _cost;
    private Task? _coming;

    /// <summary>Whether one should be taken now.</summary>
    public bool IsDue()
    {
        if (_coming is { IsCompleted: false })
        {
            return false;
        }

        TimeSpan pause = _cost * CostFactor;
        return time.GetElapsedTime(_taken) >= (pause > s_least ? pause : s_least);
    }

    /// <summary>One is on its way.</summary>
    public void Take(Position at, Task<HeldState?> state) => _coming = KeepAsync(at, state, time.GetTimestamp());

    /// <summary>Waits for the one that is on its way.</summary>
    public Task ArriveAsync() => _coming ?? Task.CompletedTask;

    /// <summary>The connection that it was to come from is gone.</summary>
    public void Forget() => _coming = null;

    private async Task KeepAsync(Position at, Task<HeldState?> state, long asked)
    {
        HeldState? taken = await state;
        _taken = time.GetTimestamp();
        _cost = time.GetElapsedTime(asked, _taken);
        if (taken is not null)
        {
            cache.Add(at, taken);
        }
    }
}
