using System.Buffers;
using System.Globalization;
using System.Numerics;
using System.Text.Encodings.Web;
using System.Text.Json;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>What an app offers to a caller, as OpenAPI 3.1.</summary>
internal sealed class OpenApiDocument
{
    private static readonly JsonWriterOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, Indented = true };
    private readonly Utf8JsonWriter _json;
    private readonly HashSet<NamedShape> _used = [];

    private OpenApiDocument(Utf8JsonWriter json) => _json = json;

    /// <summary>The document.</summary>
    /// <param name="instance">Name of the instance.</param>
    /// <param name="app">What its app answers to.</param>
    /// <param name="methods">Those that the caller may call.</param>
    public static byte[] Write(string instance, AppShape app, IReadOnlyList<MethodShape> methods)
    {
        var output = new ArrayBufferWriter<byte>(4096);
        using (var json = new Utf8JsonWriter(output, s_options))
        {
            new OpenApiDocument(json).WriteAll(instance, app, methods);
        }

        return [.. output.WrittenSpan, (byte)'\n'];
    }

    private void WriteAll(string instance, AppShape app, IReadOnlyList<MethodShape> methods)
    {
        _json.WriteStartObject();
        _json.WriteString("openapi", "3.1.0");
        _json.WriteStartObject("info");
        _json.WriteString("title", $"{app.ShortName} of {instance}");
        _json.WriteString("version", "1");
        _json.WriteEndObject();
        _json.WriteStartArray("security");
        _json.WriteStartObject();
        _json.WriteStartArray("token");
        _json.WriteEndArray();
        _json.WriteEndObject();
        _json.WriteEndArray();
        _json.WriteStartObject("paths");
        foreach (IGrouping<string, MethodShape> same in methods.GroupBy(static method => method.Name))
        {
            _json.WriteStartObject($"/v1/immortals/{instance}/{same.Key}");
            WriteCall([.. same]);
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
        _json.WriteStartArray("parameters");
        WriteParameter("Idempotency-Key", "header", isNeeded: false, "A UUIDv7 or a ULID, or \"order-42\";t=1795439000. A repeat with it gets the answer of the first call.");
        WriteParameter("wait", "query", isNeeded: false, "How long to wait for the answer, such as 10s. Then 202.");
        WriteParameter("mode", "query", isNeeded: false, "send: do not wait for the answer.");
        _json.WriteEndArray();
        _json.WriteStartObject("requestBody");
        _json.WriteBoolean("required", same.Any(static method => method.Parameters.Any(static parameter => parameter.Default is null)));
        WriteContent("application/json", () => WriteOneOf([.. same.Select(method => (Action)(() => WriteArguments(method)))]));
        _json.WriteEndObject();
        _json.WriteStartObject("responses");
        MethodShape[] results = [.. same.Where(static method => method.Result is not null)];
        if (results.Length > 0)
        {
            WriteResponse("200", "The result", "application/json", () => WriteOneOf([.. results.Select(method => (Action)(() => WriteSchema(method.Result!)))]));
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
        WriteResponse("200", "The result", "application/json", () => WriteSchema(new ScalarShape(ScalarKind.Any)));
        WriteResponse("202", "Not answered yet", null, null);
        WriteResponse("default", "Refused, unknown, or the exception of the handler", Problem.ContentType, WriteProblem);
        _json.WriteEndObject();
        _json.WriteEndObject();
        _json.WriteEndObject();
    }

    private void WriteParameter(string name, string place, bool isNeeded, string description)
    {
        _json.WriteStartObject();
        _json.WriteString("name", name);
        _json.WriteString("in", place);
        _json.WriteBoolean("required", isNeeded);
        _json.WriteString("description", description);
        _json.WriteStartObject("schema");
        _json.WriteString("type", "string");
        _json.WriteEndObject();
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
        _json.WriteStartObject(kind);
        _json.WritePropertyName("schema");
        schema();
        _json.WriteEndObject();
        _json.WriteEndObject();
    }

    private void WriteOneOf(Action[] schemas)
    {
        if (schemas.Length == 1)
        {
            schemas[0]();
            return;
        }

        _json.WriteStartObject();
        _json.WriteStartArray("oneOf");
        Array.ForEach(schemas, static schema => schema());
        _json.WriteEndArray();
        _json.WriteEndObject();
    }

    private void WriteArguments(MethodShape method) => WriteObject(
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
        var written = new HashSet<NamedShape>();
        while (_used.Except(written).FirstOrDefault() is { } next) // Each may name others.
        {
            written.Add(next);
            _json.WritePropertyName(NameOf(next));
            WriteNamed(next);
        }

        TypeShape text = new ScalarShape(ScalarKind.Text);
        _json.WritePropertyName("Problem");
        WriteObject(
        [
            ("type", text, true, null), ("title", text, true, null), ("status", new ScalarShape(ScalarKind.Int32), true, null),
            ("detail", text, true, null), ("code", text, true, null), ("final", new ScalarShape(ScalarKind.Bool), true, null),
            ("exception", new ScalarShape(ScalarKind.Any), false, null),
        ], null);
        _json.WriteEndObject();
        _json.WriteEndObject();
    }

    // Two types may have one name, and generic ones have marks that a reference may not hold.
    private static string NameOf(NamedShape shape) =>
        $"{string.Concat(shape.Name.Select(static c => char.IsAsciiLetterOrDigit(c) ? c : '_'))}_{shape.Number.ToString(CultureInfo.InvariantCulture)}";

    private void WriteSchema(TypeShape type)
    {
        if (type is NamedShape named)
        {
            _used.Add(named);
            _json.WriteStartObject();
            _json.WriteString("$ref", $"#/components/schemas/{NameOf(named)}");
            _json.WriteEndObject();
            return;
        }

        if (type is OptionalShape optional)
        {
            WriteOneOf([() => WriteSchema(optional.Value), WriteNull]);
            return;
        }

        _json.WriteStartObject();
        switch (type)
        {
            case ScalarShape scalar:
                WriteScalar(scalar.Kind);
                break;
            case ListShape list:
                _json.WriteString("type", "array");
                _json.WritePropertyName("items");
                WriteSchema(list.Item);
                break;
            case TupleShape tuple:
                WriteTuple(tuple.Items);
                break;
            case MapShape { HasNames: true } map:
                _json.WriteString("type", "object");
                _json.WritePropertyName("additionalProperties");
                WriteSchema(map.Value);
                break;
            case MapShape map:
                _json.WriteString("type", "array");
                _json.WritePropertyName("items");
                WriteSchema(new TupleShape([map.Key, map.Value]));
                break;
        }

        _json.WriteEndObject();
    }

    private void WriteNull()
    {
        _json.WriteStartObject();
        _json.WriteString("type", "null");
        _json.WriteEndObject();
    }

    private void WriteTuple(IReadOnlyList<TypeShape> items)
    {
        _json.WriteString("type", "array");
        _json.WriteNumber("minItems", items.Count);
        _json.WriteNumber("maxItems", items.Count);
        _json.WriteStartArray("prefixItems");
        foreach (TypeShape item in items)
        {
            WriteSchema(item);
        }

        _json.WriteEndArray();
    }

    private void WriteScalar(ScalarKind kind)
    {
        switch (kind)
        {
            case ScalarKind.Any:
                break;
            case ScalarKind.Bool:
                _json.WriteString("type", "boolean");
                break;
            case ScalarKind.Float16 or ScalarKind.Float32 or ScalarKind.Float64:
                WriteTypes("number", "string");
                break;
            case ScalarKind.Decimal:
                WriteTypes("string", "number");
                _json.WriteString("format", "decimal");
                break;
            case var _ when ScalarRange.IsInteger(kind):
                WriteTypes("integer", "string");
                _json.WriteString("format", kind.ToString().ToLowerInvariant());
                if (ScalarRange.Of(kind) is { } range && BigInteger.Max(BigInteger.Abs(range.Least), range.Most) <= ScalarRange.Safe)
                {
                    _json.WriteNumber("minimum", (long)range.Least);
                    _json.WriteNumber("maximum", (long)range.Most);
                }

                break;
            default:
                _json.WriteString("type", "string");
                if (FormatOf(kind) is { } format)
                {
                    _json.WriteString(kind == ScalarKind.Bytes ? "contentEncoding" : "format", format);
                }

                break;
        }
    }

    private static string? FormatOf(ScalarKind kind) => kind switch
    {
        ScalarKind.Uuid => "uuid",
        ScalarKind.Uri => "uri-reference",
        ScalarKind.Bytes => "base64",
        ScalarKind.Time or ScalarKind.Clock => "date-time",
        ScalarKind.Date => "date",
        ScalarKind.TimeOfDay => "time",
        ScalarKind.Span => "duration",
        _ => null,
    };

    private void WriteTypes(params string[] types)
    {
        _json.WriteStartArray("type");
        foreach (string type in types)
        {
            _json.WriteStringValue(type);
        }

        _json.WriteEndArray();
    }

    private void WriteNamed(NamedShape shape)
    {
        switch (shape)
        {
            case EnumShape names:
                _json.WriteStartObject();
                WriteTypes("string", "integer");
                _json.WriteStartArray("examples");
                foreach ((string name, _) in names.Values)
                {
                    _json.WriteStringValue(name);
                }

                _json.WriteEndArray();
                _json.WriteEndObject();
                break;
            case UnionShape union:
                _json.WriteStartObject();
                _json.WriteStartArray("oneOf");
                foreach (CaseShape each in union.Cases)
                {
                    WriteObject(
                        each.Type is ObjectShape inner ? Members(inner) : [(UnionShape.Value, each.Type, true, null)], each.Name);
                }

                _json.WriteEndArray();
                _json.WriteEndObject();
                break;
            case ObjectShape members:
                WriteObject(Members(members), null);
                break;
        }

        static (string Name, TypeShape Type, bool IsNeeded, string? Default)[] Members(ObjectShape shape) =>
            [.. shape.Members.Select(static member => (member.Name, member.Type, member.IsNeeded, (string?)null))];
    }

    private void WriteObject((string Name, TypeShape Type, bool IsNeeded, string? Default)[] members, string? discriminator)
    {
        _json.WriteStartObject();
        _json.WriteString("type", "object");
        _json.WriteBoolean("additionalProperties", false);
        string[] needed = [.. members.Where(static member => member.IsNeeded).Select(static member => member.Name)];
        if (needed.Length > 0 || discriminator is not null)
        {
            _json.WriteStartArray("required");
            foreach (string name in discriminator is null ? needed : [UnionShape.Discriminator, .. needed])
            {
                _json.WriteStringValue(name);
            }

            _json.WriteEndArray();
        }

        _json.WriteStartObject("properties");
        if (discriminator is not null)
        {
            _json.WriteStartObject(UnionShape.Discriminator);
            _json.WriteString("const", discriminator);
            _json.WriteEndObject();
        }

        foreach ((string name, TypeShape type, _, string? fallback) in members)
        {
            _json.WritePropertyName(name);
            if (fallback is null)
            {
                WriteSchema(type);
                continue;
            }

            _json.WriteStartObject(); // Beside a reference nothing else counts for every reader.
            _json.WriteStartArray("allOf");
            WriteSchema(type);
            _json.WriteEndArray();
            _json.WritePropertyName("default");
            _json.WriteRawValue(fallback);
            _json.WriteEndObject();
        }

        _json.WriteEndObject();
        _json.WriteEndObject();
    }
}
