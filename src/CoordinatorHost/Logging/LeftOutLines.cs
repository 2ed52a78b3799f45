using Ambrosia.Coordinator.Context;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Logging;

/// <summary>Lines of one kind since the last that was written.</summary>
internal sealed class LeftOutLines : IDisposable
{
    private ITimer? _timer;

    /// <summary>How many were left out.</summary>
    public long Count { get; private set; }

    /// <summary>The last one's text.</summary>
    public string Last { get; private set; } = "";

    /// <summary>Sets what happens when the time in which they are left out is over.</summary>
    public void RingAfter(TimeSpan time, TimeProvider clock, Action ring) => _timer = clock.CreateTimer(_ => ring(), null, time, time);

    /// <summary>One more.</summary>
    public void Add(string text) => (Count, Last) = (Count + 1, text);

    /// <summary>Writes how many they were, if any were left out, and begins anew; false if there were none.</summary>
    public bool Tell(ILogger logger, TimeSpan time)
    {
        if (Count == 0)
        {
            return false;
        }

        CoordinatorLog.LinesLeftOut(logger, Count, time.TotalSeconds, Last);
        Count = 0;
        return true;
    }

    public void Dispose() => _timer?.Dispose();
}
