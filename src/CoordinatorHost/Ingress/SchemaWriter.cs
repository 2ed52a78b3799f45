using System.Globalization;
using System.Numerics;
using System.Text.Json;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>Writes types as schemas of JSON, and keeps which of those with names were used.</summary>
internal sealed class SchemaWriter(Utf8JsonWriter json)
{
    private readonly HashSet<NamedShape> _used = [];

    /// <summary>Those with names that were used, and what these use.</summary>
    public void WriteUsed()
    {
        var written = new HashSet<NamedShape>();
        while (_used.Except(written).FirstOrDefault() is { } next) // Each may name others.
        {
            written.Add(next);
            json.WritePropertyName(NameOf(next));
            WriteNamed(next);
        }
    }

    /// <summary>One of several.</summary>
    public void WriteOneOf(Action[] schemas)
    {
        if (schemas.Length == 1)
        {
            schemas[0]();
            return;
        }

        json.WriteStartObject();
        json.WriteStartArray("oneOf");
        Array.ForEach(schemas, static schema => schema());
        json.WriteEndArray();
        json.WriteEndObject();
    }

    /// <summary>A type; one with a name by reference.</summary>
    public void WriteSchema(TypeShape type)
    {
        if (type is NamedShape named)
        {
            _used.Add(named);
            json.WriteStartObject();
            json.WriteString("$ref", $"#/components/schemas/{NameOf(named)}");
            json.WriteEndObject();
            return;
        }

        if (type is OptionalShape optional)
        {
            WriteOneOf([() => WriteSchema(optional.Value), WriteNull]);
            return;
        }

        json.WriteStartObject();
        switch (type)
        {
            case ScalarShape scalar:
                WriteScalar(scalar.Kind);
                break;
            case ListShape list:
                json.WriteString("type", "array");
                json.WritePropertyName("items");
                WriteSchema(list.Item);
                break;
            case TupleShape tuple:
                WriteTuple(tuple.Items);
                break;
            case MapShape { HasNames: true } map:
                json.WriteString("type", "object");
                json.WritePropertyName("additionalProperties");
                WriteSchema(map.Value);
                break;
            case MapShape map:
                json.WriteString("type", "array");
                json.WritePropertyName("items");
                WriteSchema(new TupleShape([map.Key, map.Value]));
                break;
        }

        json.WriteEndObject();
    }

    private void WriteNull()
    {
        json.WriteStartObject();
        json.WriteString("type", "null");
        json.WriteEndObject();
    }

    private void WriteTuple(IReadOnlyList<TypeShape> items)
    {
        json.WriteString("type", "array");
        json.WriteNumber("minItems", items.Count);
        json.WriteNumber("maxItems", items.Count);
        json.WriteStartArray("prefixItems");
        foreach (TypeShape item in items)
        {
            WriteSchema(item);
        }

        json.WriteEndArray();
    }

    private void WriteScalar(ScalarKind kind)
    {
        switch (kind)
        {
            case ScalarKind.Any:
                break;
            case ScalarKind.Bool:
                json.WriteString("type", "boolean");
                break;
            case ScalarKind.Float16 or ScalarKind.Float32 or ScalarKind.Float64:
                WriteTypes("number", "string");
                break;
            case ScalarKind.Decimal:
                WriteTypes("string", "number");
                json.WriteString("format", "decimal");
                break;
            case var _ when ScalarRange.IsInteger(kind):
                WriteTypes("integer", "string");
                json.WriteString("format", kind.ToString().ToLowerInvariant());
                if (ScalarRange.Of(kind) is { } range && BigInteger.Max(BigInteger.Abs(range.Least), range.Most) <= ScalarRange.Safe)
                {
                    json.WriteNumber("minimum", (long)range.Least);
                    json.WriteNumber("maximum", (long)range.Most);
                }

                break;
            default:
                json.WriteString("type", "string");
                if (FormatOf(kind) is { } format)
                {
                    json.WriteString(kind == ScalarKind.Bytes ? "contentEncoding" : "format", format);
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
        json.WriteStartArray("type");
        foreach (string type in types)
        {
            json.WriteStringValue(type);
        }

        json.WriteEndArray();
    }

    private void WriteNamed(NamedShape shape)
    {
        switch (shape)
        {
            case EnumShape names:
                json.WriteStartObject();
                json.WriteString("title", shape.Name);
                WriteTypes("string", "integer");
                json.WriteStartArray("examples");
                foreach ((string name, _) in names.Values)
                {
                    json.WriteStringValue(name);
                }

                json.WriteEndArray();
                json.WriteEndObject();
                break;
            case UnionShape union:
                json.WriteStartObject();
                json.WriteString("title", shape.Name);
                json.WriteStartArray("oneOf");
                foreach (CaseShape each in union.Cases)
                {
                    WriteObject(
                        each.Type is ObjectShape inner ? Members(inner) : [(UnionShape.Value, each.Type, true, null)], each.Name);
                }

                json.WriteEndArray();
                json.WriteEndObject();
                break;
            case ObjectShape members:
                WriteObject(Members(members), null, shape.Name);
                break;
        }

        static (string Name, TypeShape Type, bool IsNeeded, string? Default)[] Members(ObjectShape shape) =>
            [.. shape.Members.Select(static member => (member.Name, member.Type, member.IsNeeded, (string?)null))];
    }

    /// <summary>An object with these members.</summary>
    public void WriteObject(
        (string Name, TypeShape Type, bool IsNeeded, string? Default)[] members, string? discriminator, string? title = null)
    {
        json.WriteStartObject();
        if (title is not null)
        {
            json.WriteString("title", title);
        }

        json.WriteString("type", "object");
        json.WriteBoolean("additionalProperties", false);
        string[] needed = [.. members.Where(static member => member.IsNeeded).Select(static member => member.Name)];
        if (needed.Length > 0 || discriminator is not null)
        {
            json.WriteStartArray("required");
            foreach (string name in discriminator is null ? needed : [UnionShape.Discriminator, .. needed])
            {
                json.WriteStringValue(name);
            }

            json.WriteEndArray();
        }

        json.WriteStartObject("properties");
        if (discriminator is not null)
        {
            json.WriteStartObject(UnionShape.Discriminator);
            json.WriteString("const", discriminator);
            json.WriteEndObject();
        }

        foreach ((string name, TypeShape type, _, string? fallback) in members)
        {
            json.WritePropertyName(name);
            if (fallback is null)
            {
                WriteSchema(type);
                continue;
            }

            json.WriteStartObject(); // Beside a reference nothing else counts for every reader.
            json.WriteStartArray("allOf");
            WriteSchema(type);
            json.WriteEndArray();
            json.WritePropertyName("default");
            json.WriteRawValue(fallback);
            json.WriteEndObject();
        }

        json.WriteEndObject();
        json.WriteEndObject();
    }

    // Two types may have one name, and generic ones have marks that a reference may not hold.
    private static string NameOf(NamedShape shape) =>
        string.Concat(shape.Name.Select(static c => char.IsAsciiLetterOrDigit(c) ? c : '_'))
            + "_" + shape.Number.ToString(CultureInfo.InvariantCulture);
}
