using System.Diagnostics.Metrics;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.LogStore;
using Ambrosia.Primitives;

namespace Ambrosia.ImmortalCoordinator.Tests.Application;

/// <summary>How long the app takes is measured with one record at a time.</summary>
public sealed class LatencyProbeTests
{
    [Fact]
    public void One_record_at_a_time_carries_the_probe_and_a_death_takes_it_back()
    {
        var seen = new List<double>();
        string instance = $"probe-{Guid.NewGuid():N}";
        using MeterListener listener = Listen(instance, seen);
        var time = new SteppedTime();
        var probe = new LatencyProbe(time, instance);
        probe.Delivered(new Lsn(5));
        time.Advance(TimeSpan.FromMilliseconds(2));
        probe.Delivered(new Lsn(6));
        probe.Done(new Lsn(4));
        Assert.Empty(seen);
        time.Advance(TimeSpan.FromMilliseconds(1));
        probe.Done(new Lsn(5));
        probe.Done(new Lsn(6));
        Assert.Equal([0.003], seen);

        probe.Delivered(new Lsn(7));
        probe.Reset();
        probe.Done(new Lsn(7));
        Assert.Single(seen);
    }

    private static MeterListener Listen(string instance, List<double> seen)
    {
        var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, self) =>
            {
                if (instrument.Name == "ambrosia.app.execution.duration")
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>((_, value, tags, _) =>
        {
            if (tags.Length == 1 && Equals(tags[0].Value, instance))
            {
                seen.Add(value);
            }
        });
        listener.Start();
        return listener;
    }

    private sealed class SteppedTime : TimeProvider
    {
        private long _now;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => _now;

        public void Advance(TimeSpan by) => _now += by.Ticks;
    }
}
