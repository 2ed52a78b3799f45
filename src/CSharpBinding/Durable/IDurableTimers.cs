using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>
/// The timers of one immortal: pending ids are state, firing is a logged impulse, time is the log's. Implemented by the host.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IDurableTimers
{
    /// <summary>The time stamp of the log record whose messages are being processed (UTC); never goes back.</summary>
    DateTimeOffset LogTime { get; }

    /// <summary>
    /// Arms a timer and returns its id, deterministic and unique within the immortal. The host calls <see cref="DurableTimer.Fire"/> in a
    /// turn at or after the deadline.
    /// </summary>
    long Schedule(DateTimeOffset deadline, DurableTimer timer);

    /// <summary>Disarms a timer; an id that is not pending is ignored.</summary>
    void Cancel(long id);
}
