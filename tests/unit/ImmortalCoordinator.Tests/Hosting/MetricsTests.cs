using System.Net;
using System.Text.RegularExpressions;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

/// <summary>What Prometheus reads of a coordinator that serves, in a process of its own.</summary>
public sealed class MetricsTests : IDisposable
{
    private readonly TemporaryFolder _home = new();

    public void Dispose() => _home.Dispose();

    [Fact] // Prometheus gives the label "instance" to the address that it reads from, and renames one of ours.
    public async Task Every_series_of_an_instance_names_it_by_a_label_that_Prometheus_leaves_alone()
    {
        string[] series = await SeriesAsync();
        string[] ours = [.. series.Where(static line => line.StartsWith("ambrosia_", StringComparison.Ordinal))];
        Assert.Contains(ours, static line => line.StartsWith("ambrosia_log_records_total", StringComparison.Ordinal));
        Assert.Contains(ours, static line => line.StartsWith("ambrosia_log_flush_duration_seconds_count", StringComparison.Ordinal));
        Assert.DoesNotContain(ours, static line => !line.Contains("ambrosia_instance=\"bank\"", StringComparison.Ordinal));
        Assert.DoesNotContain(series, static line => Regex.IsMatch(line, "[{,]instance="));
    }

    [Fact]
    public async Task The_label_of_earlier_releases_stands_beside_it_where_it_is_asked_for()
    {
        string[] series = await SeriesAsync("--metrics-old-instance-label");
        Assert.Contains("ambrosia_ready{ambrosia_instance=\"bank\",instance=\"bank\"} 1", series);
        Assert.Contains(series, static line => line.StartsWith(
            "ambrosia_log_flush_duration_seconds_bucket{ambrosia_instance=\"bank\",instance=\"bank\",le=", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Role_build_disk_and_process_are_among_the_metrics()
    {
        string[] series = await SeriesAsync();
        Assert.Equal(["ambrosia_role{ambrosia_instance=\"bank\",role=\"primary\"} 1"],
            series.Where(static line =>
                line.StartsWith("ambrosia_role{", StringComparison.Ordinal) && line.EndsWith(" 1", StringComparison.Ordinal)));
        Assert.Contains("ambrosia_role{ambrosia_instance=\"bank\",role=\"secondary\"} 0", series);
        Assert.Contains(series, static line =>
            Regex.IsMatch(line, """^ambrosia_build_info\{ambrosia_instance="bank",version="\d[^"]*"\} 1$"""));
        foreach (string name in (string[])
            ["ambrosia_disk_used_bytes", "ambrosia_disk_free_bytes", "process_resident_memory_bytes", "process_cpu_seconds_total",
                "process_open_fds"])
        {
            string line = Assert.Single(series, line => Regex.IsMatch(line, $"^{name}[{{ ]"));
            Assert.True(double.Parse(line.Split(' ')[^1], System.Globalization.CultureInfo.InvariantCulture) > 0, line);
        }

        string start = Assert.Single(series, static line => line.StartsWith("process_start_time_seconds ", StringComparison.Ordinal));
        double age = (DateTime.UtcNow - DateTime.UnixEpoch).TotalSeconds - double.Parse(start.Split(' ')[1],
            System.Globalization.CultureInfo.InvariantCulture);
        Assert.InRange(age, -5, 600);
    }

    [Fact] // A name or label that nothing has makes an alert that never fires, and Prometheus does not say so.
    public async Task Alerts_ask_for_metrics_and_labels_that_a_coordinator_has()
    {
        string[] series = await SeriesAsync();
        string rules = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "deploy/prometheus/ambrosia-rules.yaml"));
        string[] alerts = rules.Split("- alert: ")[1..];
        Assert.True(alerts.Length > 10);
        foreach (string alert in alerts)
        {
            string expression = Regex.Match(alert, "expr: (.*)").Groups[1].Value;
            string[] metrics = [.. Regex.Matches(expression, @"\b(ambrosia_\w+|up)\b").Select(static found => found.Value)
                .Where(static name => name != "ambrosia_instance").Distinct()];
            Assert.NotEmpty(metrics);
            string[] labels =
            [
                .. Regex.Matches(expression, @"(\w+)=~?""").Select(static found => found.Groups[1].Value),
                .. Regex.Matches(expression, @"by \((\w+)\)").Select(static found => found.Groups[1].Value),
                .. Regex.Matches(alert, @"\$labels\.(\w+)").Select(static found => found.Groups[1].Value),
            ];
            foreach (string metric in metrics.Where(static name => name != "up"))
            {
                string sample = series.FirstOrDefault(line => line.StartsWith(metric + "{", StringComparison.Ordinal)) ?? "";
                Assert.True(sample.Length > 0, $"{metric} is no metric: {alert}");
                Assert.All(labels, label =>
                    Assert.True(Regex.IsMatch(sample, $"[{{,]{label}="), $"{metric} has no label {label}: {alert}"));
            }
        }
    }

    [Fact]
    public async Task The_page_for_operators_explains_every_metric_and_none_that_there_is_not()
    {
        string page = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "docs/operate/metrics.md"));
        string table = page[page.IndexOf("| metric | what |", StringComparison.Ordinal)..];
        table = table[..table.IndexOf("\n\n", StringComparison.Ordinal)];
        SortedSet<string> explained = [.. Regex.Matches(table, "`((?:ambrosia|process)_[a-z_]+)`")
            .Select(static match => match.Groups[1].Value)];
        SortedSet<string> there =
        [
            .. (await SeriesAsync()).Select(static line => Regex.Match(line, "^[a-z_]+").Value)
                .Select(static name => Regex.Replace(name, "_seconds_(bucket|sum|count)$", "_seconds")),
            "ambrosia_output_buffered_bytes", "ambrosia_output_holds_app", "ambrosia_output_spilled_bytes", // While it sends to somebody.
            "ambrosia_effects_pending", "ambrosia_effects_held", "ambrosia_effects_running", "ambrosia_effects_oldest_seconds",
            "ambrosia_effects_attempts", "ambrosia_effects_failures", // Once the app has asked for effects.
            "ambrosia_refusals_total", "ambrosia_outside_refusals_total", // Once somebody was refused.
            "ambrosia_outside_watches", // Once somebody has watched.
            "ambrosia_app_execution_duration_seconds", // Once something was executed.
        ];
        Assert.Equal(string.Join("\n", there), string.Join("\n", explained));
    }

    private async Task<string[]> SeriesAsync(params string[] more)
    {
        using var coordinator = new CoordinatorUnderTest(
            _home, ["--instance-name", "bank", "--binding-socket", _home["app.sock"], "--admin", $"unix:{_home["admin.sock"]}", .. more]);
        await coordinator.SaysAsync("waits for its app");
        await using ScriptedApp app = await ScriptedApp.ConnectAsync(
            new SocketTransport(new SocketTransportOptions(), TimeProvider.System, NullLogger.Instance),
            EndPointName.Unix(_home["app.sock"]));
        await app.BecomePrimaryAsync();
        using HttpClient client = UnixHttp.Client(_home["admin.sock"]);
        using var patience = new CancellationTokenSource(Patience.Time);
        string text = "";
        while (!Regex.IsMatch(text, "^ambrosia_ready[^ ]* 1$", RegexOptions.Multiline))
        {
            AdminAnswer answer = await client.AskAsync("GET", "/metrics").WaitAsync(patience.Token);
            Assert.Equal(HttpStatusCode.OK, answer.Code);
            text = answer.Body;
        }

        return [.. text.Split('\n').Where(static line => line.Length > 0 && line[0] != '#')];
    }
}
