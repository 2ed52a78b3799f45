using System.Globalization;
using System.Text;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.CoordinatorHost.Metrics;

/// <summary>The Prometheus text format, version 0.0.4.</summary>
internal static class PrometheusText
{
    /// <summary>Value of the Content-Type header.</summary>
    public const string ContentType = "text/plain; version=0.0.4; charset=utf-8";

    // Prometheus' own name for the address that it reads from: it renames ours to exported_instance.
    private const string OldInstanceLabel = "instance";

    /// <summary>Writes one metric with all its series: instruments of one name and kind.</summary>
    /// <param name="text">Receives the lines.</param>
    /// <param name="instruments">All of the name.</param>
    /// <param name="oldInstanceLabel">Whether the label of earlier releases stands beside the one that names the instance.</param>
    public static void Write(StringBuilder text, IReadOnlyList<MetricSeries> instruments, bool oldInstanceLabel)
    {
        MetricSeries first = instruments[0];
        string name = NameOf(first);
        text.Append("# HELP ").Append(name).Append(' ').Append(Escape(first.Instrument.Description ?? "", quotes: false)).Append('\n');
        text.Append("# TYPE ").Append(name).Append(' ').Append(first.IsHistogram ? "histogram" : first.IsCounter ? "counter" : "gauge")
            .Append('\n');
        foreach (MetricSeries series in instruments)
        {
            series.ForEach(cell =>
            {
                string tags = Tags(cell.Tags, oldInstanceLabel);
                if (series.IsHistogram)
                {
                    WriteHistogram(text, name, tags, cell, series.Buckets);
                }
                else
                {
                    Line(text, name, tags, Number(cell.Sum));
                }
            });
        }
    }

    // The tags as they stand between braces.
    private static string Tags(ReadOnlySpan<KeyValuePair<string, object?>> tags, bool oldInstanceLabel)
    {
        var text = new StringBuilder();
        foreach ((string name, object? value) in tags)
        {
            Tag(text, name, value);
            if (oldInstanceLabel && name == LogStoreMetrics.InstanceTag)
            {
                Tag(text, OldInstanceLabel, value);
            }
        }

        return text.ToString();
    }

    private static void Tag(StringBuilder text, string name, object? value) =>
        text.Append(text.Length == 0 ? "" : ",").Append(Plain(name)).Append("=\"")
            .Append(Escape(Convert.ToString(value, CultureInfo.InvariantCulture) ?? "", quotes: true)).Append('"');

    private static void WriteHistogram(StringBuilder text, string name, string tags, MetricCell cell, IReadOnlyList<double> bounds)
    {
        string before = tags.Length == 0 ? "" : tags + ",";
        long upTo = 0;
        for (int i = 0; i < bounds.Count; i++)
        {
            upTo += cell.Buckets[i];
            Line(text, name + "_bucket", $"{before}le=\"{Number(bounds[i])}\"", Number(upTo));
        }

        Line(text, name + "_bucket", before + "le=\"+Inf\"", Number(cell.Count));
        Line(text, name + "_sum", tags, Number(cell.Sum));
        Line(text, name + "_count", tags, Number(cell.Count));
    }

    private static void Line(StringBuilder text, string name, string tags, string value)
    {
        text.Append(name);
        if (tags.Length > 0)
        {
            text.Append('{').Append(tags).Append('}');
        }

        text.Append(' ').Append(value).Append('\n');
    }

    private static string NameOf(MetricSeries series)
    {
        string unit = series.Instrument.Unit switch { "s" => "_seconds", "bytes" or "By" => "_bytes", _ => "" };
        string name = Plain(series.Instrument.Name);
        return (name.EndsWith(unit, StringComparison.Ordinal) ? name : name + unit) + (series.IsCounter ? "_total" : "");
    }

    private static string Plain(string name) => string.Concat(name.Select(static c => char.IsAsciiLetterOrDigit(c) ? c : '_'));

    private static string Number(double value) => value.ToString("R", CultureInfo.InvariantCulture);

    private static string Escape(string text, bool quotes)
    {
        string escaped = text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\n", "\\n", StringComparison.Ordinal);
        return quotes ? escaped.Replace("\"", "\\\"", StringComparison.Ordinal) : escaped;
    }
}
