using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Serving;


namespace Ambrosia.ImmortalCoordinator.Tests.Core;

public sealed class RetryPauseTests
{
    [Fact]
    public void Each_failure_doubles_the_pause_up_to_a_minute_and_a_success_ends_it()
    {
        var time = new SteppedTime();
        var pause = new RetryPause(time);
        Assert.True(pause.IsOver);
        foreach (int seconds in (int[])[1, 2, 4, 8, 16, 32, 60, 60])
        {
            pause.Failed();
            Assert.Equal(seconds, pause.Length.TotalSeconds);
            time.Now += TimeSpan.FromSeconds(seconds) - TimeSpan.FromMilliseconds(1);
            Assert.False(pause.IsOver);
            time.Now += TimeSpan.FromMilliseconds(1);
            Assert.True(pause.IsOver);
        }

        pause.Failed();
        pause.Succeeded();
        Assert.True(pause.IsOver);
        pause.Failed();
        Assert.Equal(1, pause.Length.TotalSeconds);
    }

    private sealed class SteppedTime : TimeProvider
    {
        public TimeSpan Now { get; set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Now.Ticks;
    }
}
