using System.Text.Json;

namespace Ambrosia.Cli.Clients;

/// <summary>Reads schemas of JSON as the address for calls writes them. What it does not know is any JSON, and is told.</summary>
/// <param name="unknown">Told where something is not known.</param>
internal sealed class SchemaReader(Action<string> unknown)
{
    private const string References = "#/components/schemas/";
    private const string Discriminator = "$type";

    /// <summary>Reads one.</summary>
    /// <param name="schema">The schema.</param>
    /// <param name="place">Where it stands, for messages.</param>
    public WireType Read(JsonElement schema, string place)
    {
        if (schema.ValueKind != JsonValueKind.Object)
        {
            throw new JsonException($"{place}: a schema belongs here");
        }

        if (schema.TryGetProperty("$ref", out JsonElement reference))
        {
            string target = reference.GetString() ?? "";
            return target.StartsWith(References, StringComparison.Ordinal)
                ? new WireType(WireKind.Named) { Reference = target[References.Length..] }
                : throw new JsonException($"{place}: {target} is no reference to a schema of this document");
        }

        if (schema.TryGetProperty("allOf", out JsonElement all) && all.GetArrayLength() == 1)
        {
            return Read(all[0], place);
        }

        return schema.TryGetProperty("oneOf", out JsonElement several) ? OneOf(several, place) : OfType(schema, place);
    }

    /// <summary>Members of an object.</summary>
    public IReadOnlyList<WireMember> Members(JsonElement schema, string place)
    {
        string[] needed = schema.TryGetProperty("required", out JsonElement names)
            ? [.. names.EnumerateArray().Select(static name => name.GetString() ?? "")] : [];
        return schema.TryGetProperty("properties", out JsonElement members)
            ?
            [
                .. members.EnumerateObject().Where(static member => member.Name != Discriminator).Select(member => new WireMember(
                    member.Name, Read(member.Value, $"{place}.{member.Name}"), needed.Contains(member.Name))),
            ]
            : [];
    }

    private WireType OneOf(JsonElement several, string place)
    {
        JsonElement[] cases = [.. several.EnumerateArray()];
        if (cases is [var value, var nothing] && TypesOf(nothing) is ["null"])
        {
            return new WireType(WireKind.Nullable) { Items = [Read(value, place)] };
        }

        if (cases.Length > 0 && Array.TrueForAll(cases, static each => CaseOf(each) is not null))
        {
            return new WireType(WireKind.Union)
            {
                Members = [.. cases.Select(each => new WireMember(CaseOf(each)!, ObjectOf(each, $"{place}.{CaseOf(each)}"), true))],
            };
        }

        unknown($"{place}: one of several types, which no member tells apart");
        return new WireType(WireKind.Any);
    }

    private static string? CaseOf(JsonElement schema) => schema.TryGetProperty("properties", out JsonElement members)
        && members.TryGetProperty(Discriminator, out JsonElement type) && type.TryGetProperty("const", out JsonElement name)
        && name.ValueKind == JsonValueKind.String ? name.GetString() : null;

    private WireType OfType(JsonElement schema, string place)
    {
        string[] types = TypesOf(schema);
        return types switch
        {
            [] => AnyOf(schema, place),
            ["boolean"] => new WireType(WireKind.Boolean),
            ["string"] => new WireType(TextKind(schema)),
            ["integer", "string"] => new WireType(schema.TryGetProperty("maximum", out _) ? WireKind.Integer : WireKind.Large),
            ["integer"] => new WireType(WireKind.Large),
            ["number", "string"] or ["number"] => new WireType(WireKind.Float),
            ["string", "number"] => new WireType(WireKind.Decimal),
            ["string", "integer"] => new WireType(WireKind.Enum) { Names = Texts(schema, "examples") },
            ["array"] when schema.TryGetProperty("prefixItems", out JsonElement items) => new WireType(WireKind.Tuple)
            {
                Items = [.. items.EnumerateArray().Select((item, i) => Read(item, $"{place}[{i}]"))],
            },
            ["array"] => new WireType(WireKind.List) { Items = [ItemOf(schema, "items", place)] },
            ["object"] when schema.TryGetProperty("additionalProperties", out JsonElement more)
                && more.ValueKind == JsonValueKind.Object => new WireType(WireKind.Map) { Items = [Read(more, $"{place}{{}}")] },
            ["object"] => ObjectOf(schema, place),
            _ => Unknown(place, string.Join(" or ", types)),
        };
    }

    private WireType AnyOf(JsonElement schema, string place) =>
        schema.EnumerateObject().Any() ? Unknown(place, "a schema without a type") : new WireType(WireKind.Any);

    private WireType Unknown(string place, string what)
    {
        unknown($"{place}: {what}");
        return new WireType(WireKind.Any);
    }

    private WireType ItemOf(JsonElement schema, string member, string place) =>
        schema.TryGetProperty(member, out JsonElement item) ? Read(item, $"{place}[]") : new WireType(WireKind.Any);

    private WireType ObjectOf(JsonElement schema, string place) => new(WireKind.Object) { Members = Members(schema, place) };

    private static WireKind TextKind(JsonElement schema) => Text(schema, "contentEncoding") == "base64" ? WireKind.Bytes
        : Text(schema, "format") == "date-time" ? WireKind.Time : WireKind.Text;

    private static string? Text(JsonElement schema, string member) =>
        schema.TryGetProperty(member, out JsonElement text) && text.ValueKind == JsonValueKind.String ? text.GetString() : null;

    private static string[] Texts(JsonElement schema, string member) => schema.TryGetProperty(member, out JsonElement texts)
        ? [.. texts.EnumerateArray().Select(static text => text.GetString() ?? "")] : [];

    private static string[] TypesOf(JsonElement schema) => !schema.TryGetProperty("type", out JsonElement type) ? []
        : type.ValueKind == JsonValueKind.Array ? Texts(schema, "type") : [type.GetString() ?? ""];
}
