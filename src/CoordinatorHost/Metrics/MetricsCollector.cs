using System.Diagnostics.Metrics;
using System.Text;

namespace Ambrosia.CoordinatorHost.Metrics;

/// <summary>
/// Gathers the measurements of every meter of this product and writes them for Prometheus. Our own, because the exporters available would
/// bring more code into the executable than the coordinator has. Cost of a recorded measurement: one dictionary look-up; an observed one
/// costs only when read.
/// </summary>
public sealed class MetricsCollector : IDisposable
{
    private const string OurMeters = "Ambrosia.";
    private static readonly double[] s_seconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
        5, 10];
    private static readonly double[] s_others = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304];

    private readonly object _gate = new();
    private readonly object _rendering = new();
    private readonly List<MetricSeries> _series = [];
    private readonly MeterListener _listener = new();

    private readonly bool _oldInstanceLabel;
    private readonly Func<ValueTask> _look;

    /// <summary>Begins to listen.</summary>
    /// <param name="oldInstanceLabel">Whether series have the label <c>instance</c> of earlier releases beside the one that names the
    /// instance.</param>
    /// <param name="look">What is to be done before the instruments are read: what they observe may lie on a disk.</param>
    public MetricsCollector(bool oldInstanceLabel = false, Func<ValueTask>? look = null)
    {
        (_oldInstanceLabel, _look) = (oldInstanceLabel, look ?? (static () => default));
        _listener.InstrumentPublished = Add;
        _listener.MeasurementsCompleted = Remove;
        _listener.SetMeasurementEventCallback<long>(static (_, value, tags, state) => (state as MetricSeries)?.Record(value, tags));
        _listener.SetMeasurementEventCallback<int>(static (_, value, tags, state) => (state as MetricSeries)?.Record(value, tags));
        _listener.SetMeasurementEventCallback<double>(static (_, value, tags, state) => (state as MetricSeries)?.Record(value, tags));
        _listener.Start();
    }

    /// <summary>Everything as Prometheus text.</summary>
    public async Task<string> RenderAsync()
    {
        await _look();
        return Render();
    }

    /// <summary>Stops listening.</summary>
    public void Dispose() => _listener.Dispose();

    private string Render()
    {
        MetricSeries[] all;
        lock (_gate)
        {
            all = [.. _series];
        }

        // One at a time: a second one would add what is observed to what the first has begun.
        lock (_rendering)
        {
            return Render(all);
        }
    }

    private string Render(MetricSeries[] all)
    {
        var text = new StringBuilder();
        foreach (MetricSeries series in all)
        {
            series.BeginCollection();
        }

        _listener.RecordObservableInstruments();
        // Instruments of one name, as several instances in a process have, are one metric: its header may stand only once.
        foreach (IGrouping<string, MetricSeries> group in all.GroupBy(static series => series.Instrument.Name)
            .OrderBy(static group => group.Key, StringComparer.Ordinal))
        {
            PrometheusText.Write(text, [.. group], _oldInstanceLabel);
        }

        return text.ToString();
    }

    private void Add(Instrument instrument, MeterListener listener)
    {
        if (!instrument.Meter.Name.StartsWith(OurMeters, StringComparison.Ordinal))
        {
            return;
        }

        bool histogram = instrument.GetType().GetGenericTypeDefinition() == typeof(Histogram<>);
        var series = new MetricSeries(instrument, !histogram ? [] : instrument.Unit == "s" ? s_seconds : s_others);
        lock (_gate)
        {
            _series.Add(series);
        }

        listener.EnableMeasurementEvents(instrument, series);
    }

    private void Remove(Instrument instrument, object? state)
    {
        lock (_gate)
        {
            _series.RemoveAll(series => series == state);
        }
    }
}
