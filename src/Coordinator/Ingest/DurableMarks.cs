using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// A secondary applies a record only when a later one proves that it is durable (exactly-once.md H7). When nothing follows by itself,
/// an empty record does: a secondary is behind by a few milliseconds, never by a message that stands still.
/// </summary>
internal sealed class DurableMarks(LogAppender appender, TimeProvider time)
{
    private static readonly TimeSpan s_idle = TimeSpan.FromMilliseconds(5);
    private readonly WakeSignal _logged = new();
    private Lsn _newest;
    private bool _unproven;
    private bool _stopped;

    /// <summary>
    /// A record became durable. Records that say nothing prove others and need no proof. A trim says something: the app of a secondary may
    /// wait for the room that it frees.
    /// </summary>
    public void BecameDurable(Lsn lsn, RecordMarks marks)
    {
        _newest = lsn;
        _unproven = marks.MessageCount > 0 || marks.Trims.Count > 0 || marks.Poison.Count > 0 || marks.Upgrades.Count > 0
            || marks.Builds.Count > 0 || marks.Drops.Count > 0 || marks.Inputs.Count > 0;
        if (_unproven)
        {
            _logged.Set();
        }
    }

    public void Stop()
    {
        _stopped = true;
        _logged.Set();
    }

    /// <summary>Runs until stopped.</summary>
    public async Task RunAsync(CancellationToken stopping)
    {
        while (!_stopped)
        {
            await _logged.WaitAsync();
            Lsn seen = _newest;
            await Task.Delay(s_idle, time, stopping);
            if (_unproven && _newest == seen)
            {
                appender.RequestFlush();
            }
        }
    }
}
