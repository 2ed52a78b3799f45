using System.Globalization;
using System.Text;
using System.Text.Json;
using Ambrosia.Coordinator.Context;
using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.Cli.History.Tracing;

/// <summary>
/// Spans as OTLP/JSON: each line is one ExportTraceServiceRequest, as collectors take it at <c>/v1/traces</c> and as files of
/// OpenTelemetry's file exporter hold it. Arguments and values are left out: traces go where logs may not.
/// </summary>
internal sealed class OtlpWriter(TextWriter output, MethodNames names)
{
    private const int SpansInLine = 500;
    private const int MostLinks = 16;
    private const long TicksAtUnixEpoch = 621_355_968_000_000_000;
    private readonly List<Action<Utf8JsonWriter>> _spans = [];
    private string _instance = "";

    /// <summary>Adds one message of an instance.</summary>
    public void Add(string instance, LoggedMessage message, LogSpan span)
    {
        if (instance != _instance || _spans.Count == SpansInLine)
        {
            Flush();
            _instance = instance;
        }

        _spans.Add(json => Write(json, message, span));
    }

    /// <summary>Writes what was added.</summary>
    public void Flush()
    {
        if (_spans.Count == 0)
        {
            return;
        }

        var line = new System.Buffers.ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(line))
        {
            json.WriteStartObject();
            json.WriteStartArray("resourceSpans");
            json.WriteStartObject();
            json.WriteStartObject("resource");
            json.WriteStartArray("attributes");
            Attribute(json, "service.name", _instance);
            json.WriteEndArray();
            json.WriteEndObject();
            json.WriteStartArray("scopeSpans");
            json.WriteStartObject();
            json.WriteStartObject("scope");
            json.WriteString("name", "Ambrosia.Log");
            json.WriteString("version", CoordinatorVersion.Text);
            json.WriteEndObject();
            json.WriteStartArray("spans");
            _spans.ForEach(write => write(json));
            json.WriteEndArray();
            json.WriteEndObject();
            json.WriteEndArray();
            json.WriteEndObject();
            json.WriteEndArray();
            json.WriteEndObject();
        }

        output.WriteLine(Encoding.UTF8.GetString(line.WrittenSpan));
        _spans.Clear();
    }

    private void Write(Utf8JsonWriter json, LoggedMessage message, LogSpan span)
    {
        MessageKind kind = message.Kind;
        long began = message.Record.Timestamp;
        json.WriteStartObject();
        json.WriteString("traceId", span.TraceId);
        json.WriteString("spanId", span.SpanId);
        if (span.Causes.Count > 0)
        {
            json.WriteString("parentSpanId", MessageCauses.SpanId(span.Causes[0].Instance, span.Causes[0].At));
        }

        json.WriteString("name", kind == MessageKind.Timer ? kind.Word() : kind is MessageKind.Reply or MessageKind.Exception
            ? $"{kind.Word()} of {names.NameOf(message.MethodId)}" : names.NameOf(message.MethodId));
        json.WriteNumber("kind", KindOf(kind));
        json.WriteString("startTimeUnixNano", Nanoseconds(began));
        json.WriteString("endTimeUnixNano", Nanoseconds(Math.Max(began, span.Answered)));
        json.WriteStartArray("attributes");
        Attribute(json, "ambrosia.position", message.Position.ToString());
        Attribute(json, "ambrosia.kind", kind.Word());
        Attribute(json, "ambrosia.from", message.From);
        Attribute(json, "rpc.method", names.NameOf(message.MethodId));
        if (span.Causes.Count > 1)
        {
            Attribute(json, "ambrosia.cause", string.Create(CultureInfo.InvariantCulture,
                $"one of {span.Causes.Count} messages in record {span.Causes[0].At.Lsn} of {span.Causes[0].Instance}"));
        }

        json.WriteEndArray();
        WriteLinks(json, span);
        if (kind == MessageKind.Exception)
        {
            json.WriteStartObject("status");
            json.WriteNumber("code", 2);
            json.WriteEndObject();
        }

        json.WriteEndObject();
    }

    // A record's messages are executed together, and the log holds what they sent together.
    private static void WriteLinks(Utf8JsonWriter json, LogSpan span)
    {
        if (span.Causes.Count < 2)
        {
            return;
        }

        json.WriteStartArray("links");
        foreach ((string instance, MessagePosition at) in span.Causes.Skip(1).Take(MostLinks))
        {
            json.WriteStartObject();
            json.WriteString("traceId", span.TraceId);
            json.WriteString("spanId", MessageCauses.SpanId(instance, at));
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    // INTERNAL, SERVER, CLIENT, CONSUMER of the protocol.
    private static int KindOf(MessageKind kind) => kind switch
    {
        MessageKind.Timer => 1,
        MessageKind.Call => 2,
        MessageKind.Reply or MessageKind.Exception => 3,
        _ => 5,
    };

    private static string Nanoseconds(long ticks) =>
        ((UInt128)Math.Max(0, ticks - TicksAtUnixEpoch) * 100).ToString(CultureInfo.InvariantCulture);

    private static void Attribute(Utf8JsonWriter json, string key, string value)
    {
        json.WriteStartObject();
        json.WriteString("key", key);
        json.WriteStartObject("value");
        json.WriteString("stringValue", value);
        json.WriteEndObject();
        json.WriteEndObject();
    }
}
