using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>What an app offers to a caller, as OpenAPI 3.1.</summary>
internal sealed class OpenApiDocument
{
    private static readonly JsonWriterOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, Indented = true };
    private readonly Utf8JsonWriter _json;
    private readonly SchemaWriter _schemas;

    private OpenApiDocument(Utf8JsonWriter json) => (_json, _schemas) = (json, new SchemaWriter(json));

    /// <summary>The document.</summary>
    /// <param name="instance">Name of the instance.</param>
    /// <param name="app">What its app answers to.</param>
    /// <param name="methods">Those that the caller may call.</param>
    /// <param name="asksForTokens">Whether a caller has to show a token.</param>
    /// <param name="prefix">What comes before all paths where the caller is; empty for nothing.</param>
    public static byte[] Write(
        string instance, AppShape app, IReadOnlyList<MethodShape> methods, bool asksForTokens, string prefix = "")
    {
        var output = new ArrayBufferWriter<byte>(4096);
        using (var json = new Utf8JsonWriter(output, s_options))
        {
            new OpenApiDocument(json).WriteAll(instance, app, methods, asksForTokens, prefix);
        }

        return [.. output.WrittenSpan, (byte)'\n'];
    }

    private void WriteAll(string instance, AppShape app, IReadOnlyList<MethodShape> methods, bool asksForTokens, string prefix)
    {
        _json.WriteStartObject();
        _json.WriteString("openapi", "3.1.0");
        _json.WriteStartObject("info");
        _json.WriteString("title", $"{app.ShortName} of {instance}");
        _json.WriteString("version", "1");
        _json.WriteEndObject();
        if (prefix.Length > 0)
        {
            _json.WriteStartArray("servers");
            _json.WriteStartObject();
            _json.WriteString("url", prefix);
            _json.WriteEndObject();
            _json.WriteEndArray();
        }

        if (asksForTokens)
        {
            _json.WriteStartArray("security");
            _json.WriteStartObject();
            _json.WriteStartArray("token");
            _json.WriteEndArray();
            _json.WriteEndObject();
            _json.WriteEndArray();
        }

        _json.WriteStartObject("paths");
        foreach (IGrouping<string, MethodShape> same in methods.GroupBy(static method => method.Name))
        {
            _json.WriteStartObject($"/v1/immortals/{instance}/{same.Key}");
            WriteCall([.. same]);
            MethodShape[] queries = [.. same.Where(static method => method.IsQuery)];
            if (queries.Length > 0)
            {
                WriteQuery(queries);
            }

            _json.WriteEndObject();
        }

        WriteLook();
        _json.WriteEndObject();
        WriteComponents();
        _json.WriteEndObject();
    }

    private void WriteCall(MethodShape[] same)
    {
        _json.WriteStartObject("post");
        _json.WriteString("operationId", same[0].Name);
        WriteOverloads(same);
        _json.WriteStartArray("parameters");
        WriteParameter(
            "Idempotency-Key", "header", isNeeded: false,
            "A UUIDv7 or a ULID, or \"order-42\";t=1795439000. A repeat with it gets the answer of the first call. "
                + "An instance without a log asks for its id, too: ;id=\"5f0c...\", as GET /v1/instance tells it.");
        WriteParameter("wait", "query", isNeeded: false, "How long to wait for the answer, such as 10s. Then 202.");
        WriteParameter("mode", "query", isNeeded: false, "send: do not wait for the answer.");
        _json.WriteEndArray();
        _json.WriteStartObject("requestBody");
        _json.WriteBoolean("required", same.Any(static method => method.Parameters.Any(static parameter => parameter.Default is null)));
        WriteContent("application/json", () => _schemas.WriteOneOf([.. same.Select(method => (Action)(() => WriteArguments(method)))]));
        _json.WriteEndObject();
        _json.WriteStartObject("responses");
        MethodShape[] results = [.. same.Where(static method => method.Result is not null)];
        if (results.Length > 0)
        {
            Action[] each = [.. results.Select(method => (Action)(() => _schemas.WriteSchema(method.Result!)))];
            WriteResponse("200", "The result", "application/json", () => _schemas.WriteOneOf(each));
        }

        if (results.Length < same.Length)
        {
            WriteResponse("204", "Done", null, null);
        }

        WriteResponse("202", "In the log, and not answered yet: ask at Location", null, null);
        WriteResponse("422", "The handler threw an exception", Problem.ContentType, WriteProblem);
        WriteResponse("default", "Refused", Problem.ContentType, WriteProblem);
        _json.WriteEndObject();
        _json.WriteEndObject();
    }

    // OpenAPI cannot say which arguments have which result. Readers of other documents pass this by.
    private void WriteOverloads(MethodShape[] same)
    {
        if (same.Length == 1)
        {
            return;
        }

        _json.WriteStartArray("x-overloads");
        foreach (MethodShape method in same)
        {
            _json.WriteStartObject();
            _json.WritePropertyName("arguments");
            WriteArguments(method);
            if (method.Result is { } result)
            {
                _json.WritePropertyName("result");
                _schemas.WriteSchema(result);
            }

            _json.WriteBoolean("query", method.IsQuery);
            _json.WriteEndObject();
        }

        _json.WriteEndArray();
    }

    private void WriteQuery(MethodShape[] same)
    {
        _json.WriteStartObject("get");
        _json.WriteString("operationId", $"Query{same[0].Name}");
        _json.WriteString("description",
            "Asked of the app, and not logged. The header Ambrosia-Record names the record after which the answer was true. "
            + $"With Accept: {WatchStream.Kind} it is watched: each event has a result, and the record as its id.");
        _json.WriteStartArray("parameters");
        if (same is [var only])
        {
            foreach (ParameterShape parameter in only.Parameters)
            {
                WriteParameter(parameter.Name, "query", isNeeded: parameter.Default is null, "", () =>
                    _schemas.WriteSchema(parameter.Type));
            }
        }

        WriteParameter("args", "query", isNeeded: false, "All arguments as one JSON object, instead of one by one.");
        WriteParameter("at-least", "query", isNeeded: false,
            "A record that must have been executed before, such as one that an answer has named.");
        WriteParameter("wait", "query", isNeeded: false, "How long to wait for the answer, such as 10s.");
        _json.WriteEndArray();
        _json.WriteStartObject("responses");
        _json.WriteStartObject("200");
        _json.WriteString("description", "The result, or that of now and each one that differs");
        _json.WriteStartObject("content");
        WriteKind("application/json", () => _schemas.WriteOneOf(
            [.. same.Where(static method => method.Result is not null)
                .Select(method => (Action)(() => _schemas.WriteSchema(method.Result!)))]));
        WriteKind(WatchStream.Kind, WriteString);
        _json.WriteEndObject();
        _json.WriteEndObject();
        WriteResponse("422", "The query threw an exception", Problem.ContentType, WriteProblem);
        WriteResponse("default", "Refused", Problem.ContentType, WriteProblem);
        _json.WriteEndObject();
        _json.WriteEndObject();
    }

    private void WriteLook()
    {
        _json.WriteStartObject("/v1/calls/{key}");
        _json.WriteStartObject("get");
        _json.WriteString("operationId", "LookForCall");
        _json.WriteStartArray("parameters");
        WriteParameter("key", "path", isNeeded: true, "The Idempotency-Key of the call, escaped for a URL.");
        WriteParameter("method", "query", isNeeded: false, "The method, by which the result is written.");
        WriteParameter("wait", "query", isNeeded: false, "How long to wait for the answer, such as 10s.");
        _json.WriteEndArray();
        _json.WriteStartObject("responses");
        WriteResponse("200", "The result", "application/json", () => _schemas.WriteSchema(new ScalarShape(ScalarKind.Any)));
        WriteResponse("202", "Not answered yet", null, null);
        WriteResponse("default", "Refused, unknown, or the exception of the handler", Problem.ContentType, WriteProblem);
        _json.WriteEndObject();
        _json.WriteEndObject();
        _json.WriteEndObject();
    }

    private void WriteParameter(string name, string place, bool isNeeded, string description, Action? schema = null)
    {
        _json.WriteStartObject();
        _json.WriteString("name", name);
        _json.WriteString("in", place);
        _json.WriteBoolean("required", isNeeded);
        if (description.Length > 0)
        {
            _json.WriteString("description", description);
        }

        _json.WritePropertyName("schema");
        (schema ?? WriteString)();
        _json.WriteEndObject();
    }

    private void WriteString()
    {
        _json.WriteStartObject();
        _json.WriteString("type", "string");
        _json.WriteEndObject();
    }

    private void WriteResponse(string status, string description, string? kind, Action? schema)
    {
        _json.WriteStartObject(status);
        _json.WriteString("description", description);
        if (schema is not null)
        {
            WriteContent(kind!, schema);
        }

        _json.WriteEndObject();
    }

    private void WriteContent(string kind, Action schema)
    {
        _json.WriteStartObject("content");
        WriteKind(kind, schema);
        _json.WriteEndObject();
    }

    private void WriteKind(string kind, Action schema)
    {
        _json.WriteStartObject(kind);
        _json.WritePropertyName("schema");
        schema();
        _json.WriteEndObject();
    }

    private void WriteArguments(MethodShape method) => _schemas.WriteObject(
        [.. method.Parameters.Select(static each => (each.Name, each.Type, each.Default is null, each.DefaultJson))], null);

    private void WriteProblem()
    {
        _json.WriteStartObject();
        _json.WriteString("$ref", "#/components/schemas/Problem");
        _json.WriteEndObject();
    }

    private void WriteComponents()
    {
        _json.WriteStartObject("components");
        _json.WriteStartObject("securitySchemes");
        _json.WriteStartObject("token");
        _json.WriteString("type", "http");
        _json.WriteString("scheme", "bearer");
        _json.WriteEndObject();
        _json.WriteEndObject();
        _json.WriteStartObject("schemas");
        _schemas.WriteUsed();
        TypeShape text = new ScalarShape(ScalarKind.Text);
        _json.WritePropertyName("Problem");
        _schemas.WriteObject(
        [
            ("type", text, true, null), ("title", text, true, null), ("status", new ScalarShape(ScalarKind.Int32), true, null),
            ("detail", text, true, null), ("code", text, true, null), ("final", new ScalarShape(ScalarKind.Bool), true, null),
            ("exception", new ScalarShape(ScalarKind.Any), false, null),
        ], null);
        _json.WriteEndObject();
        _json.WriteEndObject();
    }
}
