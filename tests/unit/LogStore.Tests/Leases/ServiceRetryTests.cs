using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.LogStore.Tests.Leases;

/// <summary>How long a service that does not answer is asked again. The clock is moved by hand; the pauses between attempts are real, and
/// short.</summary>
public sealed class ServiceRetryTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(4);
    private readonly HandClock _clock = new();

    [Fact]
    public async Task A_service_that_is_silent_all_the_time_is_given_up_when_patience_is_over()
    {
        ServiceRetry retry = Make();
        for (int attempt = 0; attempt < 3; attempt++)
        {
            _clock.Now += TimeSpan.FromSeconds(1);
            await PauseAsync(retry);
        }

        _clock.Now += TimeSpan.FromSeconds(1);
        StoreUnavailableException error = await Assert.ThrowsAsync<StoreUnavailableException>(() => PauseAsync(retry));
        Assert.StartsWith("IC-2035 the store did not answer for 4 s: silence", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_was_stopped_during_an_attempt_asks_once_more()
    {
        ServiceRetry retry = Make();
        _clock.Now += TimeSpan.FromHours(1);
        await PauseAsync(retry);
        _clock.Now += TimeSpan.FromHours(1);
        await Assert.ThrowsAsync<StoreUnavailableException>(() => PauseAsync(retry));
    }

    private ServiceRetry Make() => new(new LogStoreEnvironment { Time = _clock }, "somewhere", s_patience);

    private static Task PauseAsync(ServiceRetry retry) =>
        retry.PauseAsync(new TimeoutException("silence"), CancellationToken.None).AsTask();

    private sealed class HandClock : TimeProvider
    {
        public TimeSpan Now { get; set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Now.Ticks;
    }
}
