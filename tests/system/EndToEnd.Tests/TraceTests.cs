using System.Text.Json;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Tests.Common;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>Requests followed from log to log, as OpenTelemetry's tools show them.</summary>
public sealed class TraceTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task A_request_is_one_trace_through_the_logs_of_two_instances_also_when_one_is_killed_on_the_way()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest shop = new(sandbox, "shop", Layout.Sidecar, NodeSettings.Small);
        NodeUnderTest bank = new(sandbox, "bank", Layout.Sidecar, NodeSettings.Small);
        shop.Start();
        bank.Start();
        await shop.AskAsync("submit before Await bank 0");
        await bank.KillAsync(Side.Coordinator);
        Task<string> asked = shop.AskAsync("submit nested Nested bank 0");
        bank.Start();
        await asked;
        await shop.AskAsync("submit last Note bank 0"); // A later record says what the earlier ones sent.
        await bank.AskAsync("submit last Note shop 0");

        var spans = new List<(string Service, JsonElement Span)>();
        foreach (NodeUnderTest node in new[] { shop, bank })
        {
            Child export = Child.Start(
                sandbox, "export", Executables.Command,
                ["log", "export", node.Name, "--store", sandbox.Store, "--format", "otlp-json", "--app",
                    Path.GetDirectoryName(Executables.App)!]);
            await export.Exited.WaitAsync(s_patience);
            Assert.True(export.ExitCode == 0, export.Output);
            spans.AddRange(export.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries).SelectMany(OtlpTrace.Read));
        }

        Dictionary<string, (string Service, JsonElement Span)> byId =
            spans.ToDictionary(static span => span.Span.GetProperty("spanId").GetString()!);
        Assert.All(spans, span => Assert.True(ParentOf(span.Span) is not { } parent
            || byId[parent].Span.GetProperty("traceId").GetString() == span.Span.GetProperty("traceId").GetString()));
        string[] submits = [.. spans.Where(static span => span.Span.GetProperty("name").GetString() == "Submit" && span.Service == "shop")
            .Select(static span => span.Span.GetProperty("traceId").GetString()!)];
        Assert.Equal(submits.Length, submits.Distinct().Count()); // Each impulse begins a trace of its own.
        string nested = spans.Where(static span => span.Span.GetProperty("name").GetString() == "Relay")
        .Select(static span => span.Span.GetProperty("traceId").GetString()!).Distinct().Single();
        Assert.Contains(nested, submits);
        (string Service, JsonElement Span)[] trace = [.. spans.Where(span => span.Span.GetProperty("traceId").GetString() == nested)];
        foreach ((string service, JsonElement span) in trace)
        {
            sandbox.Say($"{service,-5} {span.GetProperty("name").GetString()} {OtlpTrace.Attributes(span)["ambrosia.position"]} of "
                + $"{ParentOf(span) ?? "nobody"}");
        }

        Assert.Equal("Submit", Assert.Single(trace, static span => ParentOf(span.Span) is null).Span.GetProperty("name").GetString());
        Assert.Contains(trace, static span => span.Service == "bank");
        Assert.Contains(trace, span => ParentOf(span.Span) is { } parent && byId[parent].Service != span.Service);
        sandbox.Passed();
    }

    private static string? ParentOf(JsonElement span) =>
        span.TryGetProperty("parentSpanId", out JsonElement parent) ? parent.GetString() : null;
}
