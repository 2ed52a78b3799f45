using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.LogStore.Leases;

/// <summary>
/// Pauses between attempts at a service that does not answer: they double, up to a second. No attempt counts for more than half of the
/// patience: a process that was stopped during one has not asked all that time, and asks at least once more. It may well be told that its
/// lease is another's. Without patience nothing is tried again.
/// </summary>
public sealed class ServiceRetry(LogServices services, string location, TimeSpan patience)
{
    /// <summary>
    /// What a catalog is given instead of the time of a lease: it gives none. An instance serves without it and tries again, so its
    /// silence must not hold up a start or a promotion for long.
    /// </summary>
    public static readonly TimeSpan CatalogTime = TimeSpan.FromSeconds(3);

    private static readonly TimeSpan s_most = TimeSpan.FromSeconds(1);
    private long _since = services.Time.GetTimestamp();
    private TimeSpan _waited;
    private TimeSpan _pause = TimeSpan.FromMilliseconds(20);
    private int _attempt = 1;

    /// <summary>Waits before the next attempt; throws <see cref="StoreUnavailableException"/> when patience is over.</summary>
    public async ValueTask PauseAsync(Exception error, CancellationToken cancellationToken)
    {
        long now = services.Time.GetTimestamp();
        _waited += TimeSpan.FromTicks(Math.Min(services.Time.GetElapsedTime(_since, now).Ticks, patience.Ticks / 2));
        _since = now;
        if (_waited >= patience)
        {
            string silence = patience > TimeSpan.Zero ? $"the store did not answer for {patience.TotalSeconds:0} s: " : "";
            throw new StoreUnavailableException(silence + error.Message, location, error);
        }

        // One failure is nothing to speak of: an idle connection that was closed looks like this.
        if (++_attempt > 2)
        {
            ServiceLog.TriedAgain(services.Logger, location, _attempt, _pause.TotalMilliseconds, error.Message);
        }

        await Pause.ForAsync(_pause, services.Time, cancellationToken);
        _pause = TimeSpan.FromTicks(Math.Min(2 * _pause.Ticks, s_most.Ticks));
    }
}
