using Microsoft.Extensions.Logging;

namespace Ambrosia.Client;

/// <summary>
/// Whether nobody is reached, of all who try at the same time: that is told once, and once that it is over. Used by several threads at
/// once.
/// </summary>
/// <param name="target">Who should answer.</param>
/// <param name="logger">Receives both lines; null for none.</param>
/// <param name="time">Clock.</param>
internal sealed class Outage(string target, ILogger? logger, TimeProvider time)
{
    private readonly object _gate = new();
    private long? _began;

    /// <summary>Each address has failed.</summary>
    /// <param name="reason">How, last of all.</param>
    public void Failed(string reason)
    {
        lock (_gate)
        {
            if (logger is null || _began is not null)
            {
                return;
            }

            _began = time.GetTimestamp();
        }

        ClientLog.OutageBegan(logger, target, reason);
    }

    /// <summary>Somebody has answered.</summary>
    public void Ended()
    {
        if (logger is null)
        {
            return;
        }

        TimeSpan took;
        lock (_gate)
        {
            if (_began is not { } began)
            {
                return;
            }

            took = time.GetElapsedTime(began);
            _began = null;
        }

        ClientLog.OutageEnded(logger, target, took.TotalSeconds);
    }
}
