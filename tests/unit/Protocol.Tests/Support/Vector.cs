using System.Text.Json;
using Xunit.Abstractions;

namespace Ambrosia.Protocol.Tests.Support;

/// <summary>One element of a file in tests/support/vectors: bytes, and either what a decoder must find or why it must refuse.</summary>
public sealed class Vector : IXunitSerializable
{
    private string _json = "";

    public Vector()
    {
    }

    private Vector(string json) => Load(json);

    public string Name { get; private set; } = "";

    public string Structure { get; private set; } = "";

    public byte[] Bytes { get; private set; } = [];

    /// <summary>False if the bytes are accepted but no encoder writes them.</summary>
    public bool Canonical { get; private set; } = true;

    /// <summary>Why it must be refused; null if it is valid.</summary>
    public string? Invalid { get; private set; }

    /// <summary>Expected fields as text.</summary>
    public IReadOnlyDictionary<string, string> Fields { get; private set; } = new Dictionary<string, string>();

    /// <summary>Every vector of every file beside this assembly.</summary>
    public static IReadOnlyList<Vector> All { get; } = [.. Directory
        .EnumerateFiles(Path.Combine(AppContext.BaseDirectory, "vectors"), "*.json")
        .Order(StringComparer.Ordinal)
        .SelectMany(ReadFile)];

    public void Deserialize(IXunitSerializationInfo info) => Load(info.GetValue<string>("json"));

    public void Serialize(IXunitSerializationInfo info) => info.AddValue("json", _json);

    public override string ToString() => $"{Structure}: {Name}";

    private static IEnumerable<Vector> ReadFile(string path)
    {
        using JsonDocument document = JsonDocument.Parse(File.ReadAllBytes(path));
        return [.. document.RootElement.EnumerateArray().Select(e => new Vector(e.GetRawText()))];
    }

    private static string TextOf(JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.String => value.GetString()!,
        JsonValueKind.True => "true",
        JsonValueKind.False => "false",
        JsonValueKind.Array => string.Join(',', value.EnumerateArray().Select(TextOf)),
        _ => value.GetRawText(),
    };

    private void Load(string json)
    {
        _json = json;
        using JsonDocument document = JsonDocument.Parse(json);
        JsonElement root = document.RootElement;
        Name = root.GetProperty("name").GetString()!;
        Structure = root.GetProperty("structure").GetString()!;
        Bytes = Convert.FromHexString(root.GetProperty("hex").GetString()!);
        Canonical = !root.TryGetProperty("canonical", out JsonElement canonical) || canonical.GetBoolean();
        Invalid = root.TryGetProperty("invalid", out JsonElement invalid) ? invalid.GetString() : null;
        Fields = root.TryGetProperty("fields", out JsonElement fields)
            ? fields.EnumerateObject().ToDictionary(f => f.Name, f => TextOf(f.Value))
            : new Dictionary<string, string>();
    }
}
