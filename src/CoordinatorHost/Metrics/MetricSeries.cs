using System.Diagnostics.Metrics;

namespace Ambrosia.CoordinatorHost.Metrics;

/// <summary>All measurements of one instrument, by their tags.</summary>
internal sealed class MetricSeries(Instrument instrument, IReadOnlyList<double> buckets)
{
    private readonly object _gate = new();
    private readonly List<MetricCell> _cells = [];

    public Instrument Instrument { get; } = instrument;

    public IReadOnlyList<double> Buckets { get; } = buckets;

    public bool IsCounter { get; } = instrument.GetType().GetGenericTypeDefinition() is { } type
        && (type == typeof(Counter<>) || type == typeof(ObservableCounter<>));

    public bool IsHistogram => Buckets.Count > 0;

    /// <summary>Takes a measurement. An observed instrument reports its current value, the others what to add.</summary>
    public void Record(double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        lock (_gate)
        {
            // What is observed comes once for each series, and was forgotten before.
            MetricCell cell = (Instrument.IsObservable ? null : Find(tags)) ?? Add(tags);
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
    public void ForEach(Action<MetricCell> write)
    {
        lock (_gate)
        {
            _cells.ForEach(write);
        }
    }

    private MetricCell? Find(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        foreach (MetricCell cell in _cells)
        {
            if (cell.IsOf(tags))
            {
                return cell;
            }
        }

        return null;
    }

    private MetricCell Add(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var cell = new MetricCell(Buckets.Count, tags.ToArray());
        _cells.Add(cell);
        return cell;
    }
}
