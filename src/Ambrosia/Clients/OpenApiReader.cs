using System.Text.Json;

namespace Ambrosia.Cli.Clients;

/// <summary>Reads the OpenAPI document of an address for calls from outside.</summary>
internal static class OpenApiReader
{
    private const string Calls = "/v1/immortals/";
    private static readonly JsonDocumentOptions s_options = new() { MaxDepth = 512 };

    /// <summary>Reads it.</summary>
    /// <param name="text">The document.</param>
    /// <param name="unknown">Told where something is not known.</param>
    /// <exception cref="JsonException">It is no such document.</exception>
    public static ClientContract Read(byte[] text, Action<string> unknown)
    {
        using JsonDocument document = JsonDocument.Parse(text, s_options);
        JsonElement root = document.RootElement;
        if (root.ValueKind != JsonValueKind.Object || !root.TryGetProperty("openapi", out JsonElement version)
            || !version.ToString().StartsWith("3.1", StringComparison.Ordinal))
        {
            throw new JsonException("it is no OpenAPI document of version 3.1");
        }

        try
        {
            return Read(root, new SchemaReader(unknown));
        }
        catch (Exception error) when (error is InvalidOperationException or KeyNotFoundException)
        {
            throw new JsonException("it is an OpenAPI document, but none of an address for calls from outside", error);
        }
    }

    private static ClientContract Read(JsonElement root, SchemaReader schemas)
    {
        JsonProperty[] paths =
        [
            .. root.GetProperty("paths").EnumerateObject().Where(static path =>
                path.Name.StartsWith(Calls, StringComparison.Ordinal) && path.Name[Calls.Length..].Split('/').Length == 2),
        ];
        if (paths.Length == 0)
        {
            throw new JsonException("it offers no methods: mark them with [Impulse], or name them in --ingress-methods");
        }

        string instance = Part(paths[0], 0);
        string title = root.GetProperty("info").GetProperty("title").GetString() ?? "";
        string end = $" of {instance}";
        ClientMethod[] methods = [.. paths.Select(path => MethodOf(Part(path, 1), path.Value, schemas))];
        NamedType[] types =
        [
            .. root.GetProperty("components").GetProperty("schemas").EnumerateObject().Where(static schema => schema.Name != "Problem")
                .Select(schema => new NamedType(schema.Name, TitleOf(schema), schemas.Read(schema.Value, schema.Name))),
        ];
        Check(methods, types);
        return new ClientContract(
            title.EndsWith(end, StringComparison.Ordinal) ? title[..^end.Length] : title, instance, methods, types);
    }

    private static string Part(JsonProperty path, int at) => path.Name[Calls.Length..].Split('/')[at];

    private static string TitleOf(JsonProperty schema) =>
        schema.Value.TryGetProperty("title", out JsonElement title) ? title.GetString() ?? schema.Name : schema.Name;

    private static ClientMethod MethodOf(string name, JsonElement path, SchemaReader schemas)
    {
        JsonElement post = path.GetProperty("post");
        if (post.TryGetProperty("x-overloads", out JsonElement overloads))
        {
            return new ClientMethod(name, [.. overloads.EnumerateArray().Select(each => new ClientOverload(
                schemas.Members(each.GetProperty("arguments"), name),
                each.TryGetProperty("result", out JsonElement given) ? schemas.Read(given, $"{name}()") : null,
                each.GetProperty("query").GetBoolean()))]);
        }

        WireType? result = post.GetProperty("responses").TryGetProperty("200", out JsonElement answer)
            ? schemas.Read(SchemaOf(answer), $"{name}()") : null;
        IReadOnlyList<WireMember> parameters = schemas.Members(SchemaOf(post.GetProperty("requestBody")), name);
        return new ClientMethod(name, [new ClientOverload(parameters, result, path.TryGetProperty("get", out _))]);
    }

    private static JsonElement SchemaOf(JsonElement holder) =>
        holder.GetProperty("content").GetProperty("application/json").GetProperty("schema");

    // A reference that leads nowhere would be a module that does not load.
    private static void Check(ClientMethod[] methods, NamedType[] types)
    {
        var known = types.Select(static type => type.Schema).ToHashSet(StringComparer.Ordinal);
        IEnumerable<WireType> used = methods.SelectMany(static method => method.Overloads)
            .SelectMany(static each => each.Parameters.Select(static parameter => parameter.Type).Append(each.Result))
            .OfType<WireType>().Concat(types.Select(static type => type.Type)).SelectMany(All);
        string? missing = used.Select(static type => type.Reference).FirstOrDefault(name => name.Length > 0 && !known.Contains(name));
        if (missing is not null)
        {
            throw new JsonException($"it refers to the schema {missing}, which is not there");
        }
    }

    private static IEnumerable<WireType> All(WireType type) =>
        type.Items.Concat(type.Members.Select(static member => member.Type)).SelectMany(All).Prepend(type);
}
