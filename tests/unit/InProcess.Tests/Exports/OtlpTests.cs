using System.Diagnostics;
using System.Text;
using Ambrosia.Primitives.Telemetry;
using Ambrosia.Tests.Common;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Ambrosia.InProcess.Tests.Exports;

/// <summary>Daemons that are told of a collector by OpenTelemetry's own variables, and of nothing else.</summary>
public sealed class OtlpTests : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);
    private static readonly string[] s_atCaller = ["ambrosia.link"];
    private static readonly string[] s_atCallee = ["ambrosia.admit", "ambrosia.deliver", "ambrosia.log"];
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-otlp-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_call_is_one_trace_through_both_daemons_in_the_ids_that_their_apps_derive()
    {
        await using var collector = new OtlpReceiver();
        await PayAsync(Daemon(collector.Address, ""));

        (string Trace, string Parent)[] calls = [.. Enumerable.Range(0, 100).Select(static number => IdsOf("teller", number))];
        string trace = Assert.Single(collector.Spans.Select(static span => span.TraceId).Distinct(), id =>
            calls.Any(call => call.Trace == id));
        OtlpSpan[] spans = [.. collector.Spans.Where(span => span.TraceId == trace)];
        Assert.All(spans, span => Assert.Equal(calls.Single(call => call.Trace == trace).Parent, span.ParentId));
        Assert.Equal(s_atCaller, NamesOf(spans, "teller"));
        Assert.Equal(s_atCallee, NamesOf(spans, "bank"));
        OtlpSpan Of(string name) => spans.Single(span => span.Name == name);
        Assert.True(Of("ambrosia.admit").Start <= Of("ambrosia.admit").End);
        Assert.Equal(Of("ambrosia.admit").End, Of("ambrosia.log").Start);
        Assert.Equal(Of("ambrosia.log").End, Of("ambrosia.deliver").Start);
        Assert.Equal(("teller", "bank"),
            (Of("ambrosia.admit").Attributes["ambrosia.peer"], Of("ambrosia.link").Attributes["ambrosia.peer"]));
        Assert.Equal(Of("ambrosia.log").Attributes["ambrosia.position"], Of("ambrosia.deliver").Attributes["ambrosia.position"]);

        Assert.Equal("By", collector.Metrics["process.memory.usage"]);
        Assert.Equal("s", collector.Metrics["process.cpu.time"]);
        Assert.Equal("s", collector.Metrics["ambrosia.log.flush.duration"]);
        Assert.Equal("By", collector.Metrics["ambrosia.disk.used"]);
        Assert.Contains("ambrosia.messages.logged", collector.Metrics);
        Assert.DoesNotContain("process.resident_memory", collector.Metrics);
    }

    [Fact]
    public async Task Outside_of_the_share_there_are_no_spans()
    {
        await using var collector = new OtlpReceiver();
        await PayAsync(Daemon(collector.Address, "OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=0"));

        Assert.Empty(collector.Spans);
        Assert.Contains("ambrosia.messages.logged", collector.Metrics);
    }

    [Theory]
    [InlineData("OTEL_SDK_DISABLED=true")]
    [InlineData("OTEL_TRACES_EXPORTER=none OTEL_METRICS_EXPORTER=none")]
    public async Task What_is_switched_off_sends_nothing(string variables)
    {
        await using var collector = new OtlpReceiver();
        await PayAsync(Daemon(collector.Address, variables));

        Assert.Empty(collector.Spans);
        Assert.Empty(collector.Metrics);
    }

    [Fact]
    public async Task A_collector_that_is_gone_keeps_nothing_from_being_done_and_no_daemon_from_ending()
    {
        string address;
        await using (var collector = new OtlpReceiver())
        {
            address = collector.Address;
        }

        await PayAsync(Daemon(address, ""));
    }

    [Theory]
    [InlineData("OTEL_EXPORTER_OTLP_PROTOCOL=pigeon", "'pigeon' is no value of OTEL_EXPORTER_OTLP_PROTOCOL",
        "it is one of grpc, http/protobuf")]
    [InlineData("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=localhost", "'localhost' is no value of OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        "such as http://localhost:4318")]
    [InlineData("OTEL_EXPORTER_OTLP_HEADERS=s3cret", "what is set is no value of OTEL_EXPORTER_OTLP_HEADERS",
        "write name=value, several separated by commas")]
    [InlineData("OTEL_EXPORTER_OTLP_METRICS_HEADERS=a=s3cret,,b=c", "what is set is no value of OTEL_EXPORTER_OTLP_METRICS_HEADERS",
        "write name=value")]
    public async Task A_value_that_cannot_be_meant_is_refused_in_a_sentence(string variable, string what, string advice)
    {
        var start = new ProcessStartInfo(Daemon("http://localhost:4318", variable),
            ["--instance-name", "bank", "--store", $"file:{_folder}/store"]) { RedirectStandardError = true };
        using Process process = Process.Start(start)!;
        string said = await process.StandardError.ReadToEndAsync().WaitAsync(s_patience);
        await process.WaitForExitAsync().WaitAsync(s_patience);

        Assert.Equal(64, process.ExitCode);
        Assert.Contains(what, said, StringComparison.Ordinal);
        Assert.Contains(advice, said, StringComparison.Ordinal);
        Assert.DoesNotContain("s3cret", said, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("key=value")]
    [InlineData("key=value,")] // The library takes it.
    [InlineData("a=1,b=%2C")]
    public async Task Headers_that_the_library_takes_are_sent_with_what_is_exported(string headers)
    {
        await using var collector = new OtlpReceiver();
        await PayAsync(Daemon(collector.Address, $"OTEL_EXPORTER_OTLP_HEADERS={headers}"));

        Assert.Contains("ambrosia.messages.logged", collector.Metrics);
    }

    [Fact]
    public async Task That_nothing_arrives_is_one_line_of_the_log()
    {
        string address;
        await using (var collector = new OtlpReceiver())
        {
            address = collector.Address;
        }

        string[] arguments = ["--instance-name", "bank", "--store", $"file:{_folder}/store", "--catalog", $"file:{_folder}/catalog",
            "--binding-socket", $"{_folder}/bank.sock"];
        using Process process = Process.Start(new ProcessStartInfo(Daemon(address, ""), arguments) { RedirectStandardError = true })!;
        string said = "";
        while (!said.Contains("do not reach the collector", StringComparison.Ordinal))
        {
            said = await process.StandardError.ReadLineAsync().WaitAsync(s_patience)
                ?? throw new IOException("it has ended without a word of it");
        }

        Assert.Contains(address.TrimEnd('/'), said, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", said, StringComparison.Ordinal);
        await Task.Delay(TimeSpan.FromSeconds(2)); // More than a few exports.
        process.Kill();
        string rest = await process.StandardError.ReadToEndAsync().WaitAsync(s_patience);
        Assert.DoesNotContain("collector", rest, StringComparison.Ordinal);
    }

    // Both daemons have ended when it returns, and have sent what they had.
    private async Task PayAsync(string daemon)
    {
        using IHost bank = Build<Bank>("bank", daemon);
        using IHost teller = Build<Teller>("teller", daemon);
        await Task.WhenAll(bank.StartAsync(), teller.StartAsync());
        Assert.Equal(5, await teller.Services.GetRequiredService<TellerWindow>().PayAsync("bank", "a", 5));
        await Task.Delay(TimeSpan.FromSeconds(1)); // More than the pause between two exports of metrics.
        await teller.StopAsync();
        await bank.StopAsync();
    }

    private IHost Build<T>(string name, string daemon)
        where T : Immortal, new()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddSingleton<TellerWindow>();
        builder.Services.AddImmortal<T>(name, options =>
        {
            options.Store = $"file:{_folder}/store";
            options.Catalog = $"file:{_folder}/catalog";
            options.Coordinator = daemon;
        });
        return builder.Build();
    }

    // The daemon with variables of its own: those of this process are those of all tests.
    private string Daemon(string collector, string variables)
    {
        string script = Path.Combine(_folder, "daemon");
        File.WriteAllText(script, $"""
            #!/bin/sh
            exec env OTEL_EXPORTER_OTLP_ENDPOINT={collector} OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf OTEL_METRIC_EXPORT_INTERVAL=200 OTEL_BSP_SCHEDULE_DELAY=100 {variables} \
              '{Path.Combine(AppContext.BaseDirectory, "Ambrosia.ImmortalCoordinator")}' "$@"
            """);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(script, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        return script;
    }

    private static string[] NamesOf(IEnumerable<OtlpSpan> spans, string service) =>
        [.. spans.Where(span => span.Service == service).Select(static span => span.Name).Order(StringComparer.Ordinal)];

    private static (string Trace, string Parent) IdsOf(string caller, long number)
    {
        ActivityContext call = CallId.OfCall(Encoding.UTF8.GetBytes(caller), number).ToContext();
        return (call.TraceId.ToHexString(), call.SpanId.ToHexString());
    }
}
