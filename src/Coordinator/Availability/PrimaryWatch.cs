using Ambrosia.LogStore;

namespace Ambrosia.Coordinator.Availability;

/// <summary>
/// Looks whether the primary moves. Only what passes between two looks of this process counts, and never more than two of them at once: a
/// machine that was asleep lets both sides go on first.
/// </summary>
internal sealed class PrimaryWatch(WriteAheadLog log, TimeSpan patience, TimeSpan rhythm, TimeProvider time)
{
    private string _beat = "";
    private long _lookedAt = time.GetTimestamp();
    private TimeSpan _silent;

    /// <summary>Looks; returns the process that holds the lock, as it named itself, when it has not moved for too long.</summary>
    public async ValueTask<string?> LookAsync()
    {
        TimeSpan passed = time.GetElapsedTime(_lookedAt);
        _lookedAt = time.GetTimestamp();
        string? holder = await log.ReadHolderAsync();
        // A silent process may be alive: a primary without a replica's number does not beat.
        if (patience == TimeSpan.Zero || holder is null || await log.ReadBeatAsync() is not { } beat
            || !beat.StartsWith(holder + " ", StringComparison.Ordinal))
        {
            _silent = TimeSpan.Zero;
            return null;
        }

        _silent = beat == _beat ? _silent + (passed < 2 * rhythm ? passed : 2 * rhythm) : TimeSpan.Zero;
        _beat = beat;
        return _silent >= patience ? holder : null;
    }
}
