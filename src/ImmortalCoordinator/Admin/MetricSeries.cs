using System.Diagnostics.Metrics;

namespace Ambrosia.ImmortalCoordinator.Admin;

/// <summary>All measurements of one instrument, by their tags.</summary>
internal sealed class MetricSeries(Instrument instrument, IReadOnlyList<double> buckets)
{
    private readonly object _gate = new();
    private readonly Dictionary<string, MetricCell> _cells = [];

    public Instrument Instrument { get; } = instrument;

    public IReadOnlyList<double> Buckets { get; } = buckets;

    public bool IsCounter { get; } = instrument.GetType().GetGenericTypeDefinition() is { } type
        && (type == typeof(Counter<>) || type == typeof(ObservableCounter<>));

    public bool IsHistogram => Buckets.Count > 0;

    /// <summary>Takes a measurement. An observed instrument reports its current value, the others what to add.</summary>
    public void Record(double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        string key = tags.IsEmpty ? "" : PrometheusText.Tags(tags);
        lock (_gate)
        {
            if (!_cells.TryGetValue(key, out MetricCell? cell))
            {
                _cells[key] = cell = new MetricCell(Buckets.Count);
            }

            if (IsHistogram)
            {
                cell.Observe(value, Buckets);
            }
            else
            {
                cell.Sum = Instrument.IsObservable ? value : cell.Sum + value;
            }
        }
    }

    /// <summary>Forgets what an observed instrument said before, so that a peer that is gone does not linger.</summary>
    public void BeginCollection()
    {
        if (Instrument.IsObservable)
        {
            lock (_gate)
            {
                _cells.Clear();
            }
        }
    }

    /// <summary>Writes every cell while none changes.</summary>
    public void ForEach(Action<string, MetricCell> write)
    {
        lock (_gate)
        {
            foreach ((string tags, MetricCell cell) in _cells)
            {
                write(tags, cell);
            }
        }
    }
}
