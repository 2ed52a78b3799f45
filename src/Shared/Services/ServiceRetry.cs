using Ambrosia.LogStore;

namespace Ambrosia.Shared.Services;

/// <summary>Pauses between attempts at a service that does not answer: they double, up to a second.</summary>
internal sealed class ServiceRetry(LogStoreEnvironment environment, string location, TimeSpan patience)
{
    private static readonly TimeSpan s_most = TimeSpan.FromSeconds(1);
    private readonly long _started = environment.Time.GetTimestamp();
    private TimeSpan _pause = TimeSpan.FromMilliseconds(20);
    private int _attempt = 1;

    /// <summary>Waits before the next attempt; throws <see cref="StoreUnavailableException"/> when patience is over.</summary>
    public async ValueTask PauseAsync(Exception error, CancellationToken cancellationToken)
    {
        if (environment.Time.GetElapsedTime(_started) >= patience)
        {
            throw new StoreUnavailableException($"the store did not answer for {patience.TotalSeconds:0} s: {error.Message}", location, error);
        }

        // One failure is nothing to speak of: an idle connection that was closed looks like this.
        if (++_attempt > 2)
        {
            ServiceLog.TriedAgain(environment.Logger, location, _attempt, _pause.TotalMilliseconds, error.Message);
        }

        await Task.Delay(_pause, environment.Time, cancellationToken);
        _pause = TimeSpan.FromTicks(Math.Min(2 * _pause.Ticks, s_most.Ticks));
    }
}
