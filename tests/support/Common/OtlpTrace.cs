using System.Globalization;
using System.Text.Json;

namespace Ambrosia.Tests.Common;

/// <summary>
/// Reads OTLP/JSON and refuses everything that opentelemetry-proto's trace.proto does not have, or has in another form: names, types, ids
/// in hexadecimal digits, 64-bit numbers as texts.
/// </summary>
internal static class OtlpTrace
{
    /// <summary>The spans of one ExportTraceServiceRequest, with the name of their service.</summary>
    public static IEnumerable<(string Service, JsonElement Span)> Read(string line)
    {
        JsonElement request = JsonDocument.Parse(line).RootElement;
        Only(request, "resourceSpans");
        foreach (JsonElement resourceSpans in request.GetProperty("resourceSpans").EnumerateArray())
        {
            Only(resourceSpans, "resource", "scopeSpans", "schemaUrl");
            Only(resourceSpans.GetProperty("resource"), "attributes", "droppedAttributesCount");
            Dictionary<string, string> resource = Attributes(resourceSpans.GetProperty("resource"));
            foreach (JsonElement scopeSpans in resourceSpans.GetProperty("scopeSpans").EnumerateArray())
            {
                Only(scopeSpans, "scope", "spans", "schemaUrl");
                Only(scopeSpans.GetProperty("scope"), "name", "version", "attributes", "droppedAttributesCount");
                foreach (JsonElement span in scopeSpans.GetProperty("spans").EnumerateArray())
                {
                    Check(span);
                    yield return (resource["service.name"], span);
                }
            }
        }
    }

    /// <summary>Attributes of a resource or a span whose values are texts.</summary>
    public static Dictionary<string, string> Attributes(JsonElement owner) => owner.GetProperty("attributes").EnumerateArray().ToDictionary(
        static attribute =>
        {
            Only(attribute, "key", "value");
            Only(attribute.GetProperty("value"), "stringValue");
            return attribute.GetProperty("key").GetString()!;
        },
        static attribute => attribute.GetProperty("value").GetProperty("stringValue").GetString()!);

    private static void Check(JsonElement span)
    {
        Only(
            span, "traceId", "spanId", "traceState", "parentSpanId", "flags", "name", "kind", "startTimeUnixNano", "endTimeUnixNano",
            "attributes", "droppedAttributesCount", "events",
            "droppedEventsCount", "links", "droppedLinksCount", "status");
        Id(span, "traceId", 16);
        Id(span, "spanId", 8);
        if (span.TryGetProperty("parentSpanId", out _))
        {
            Id(span, "parentSpanId", 8);
        }

        Assert.NotEqual("", span.GetProperty("name").GetString());
        Assert.InRange(span.GetProperty("kind").GetInt32(), 1, 5);
        Assert.True(Time(span, "endTimeUnixNano") >= Time(span, "startTimeUnixNano"));
        Attributes(span);
        foreach (JsonElement link in span.TryGetProperty("links", out JsonElement links) ? links.EnumerateArray().ToArray() : [])
        {
            Only(link, "traceId", "spanId", "traceState", "attributes", "droppedAttributesCount", "flags");
            Id(link, "traceId", 16);
            Id(link, "spanId", 8);
        }

        if (span.TryGetProperty("status", out JsonElement status))
        {
            Only(status, "message", "code");
            Assert.InRange(status.GetProperty("code").GetInt32(), 0, 2);
        }
    }

    private static ulong Time(JsonElement span, string name) =>
        ulong.Parse(span.GetProperty(name).GetString()!, NumberStyles.None, CultureInfo.InvariantCulture);

    private static void Id(JsonElement owner, string name, int bytes)
    {
        byte[] id = Convert.FromHexString(owner.GetProperty(name).GetString()!);
        Assert.Equal(bytes, id.Length);
        Assert.Contains(id, static b => b != 0);
    }

    private static void Only(JsonElement element, params string[] allowed) =>
        Assert.All(element.EnumerateObject(), property => Assert.Contains(property.Name, allowed));
}
