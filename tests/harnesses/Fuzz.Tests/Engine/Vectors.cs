using System.Text.Json;

namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>The published test vectors, valid and invalid, as seeds.</summary>
internal static class Vectors
{
    private static readonly Lazy<ILookup<string, byte[]>> s_all = new(static () =>
        Directory.EnumerateFiles(Path.Combine(AppContext.BaseDirectory, "vectors"), "*.json")
            .Order(StringComparer.Ordinal)
            .SelectMany(static file => JsonDocument.Parse(File.ReadAllBytes(file)).RootElement.EnumerateArray())
            .ToLookup(static vector => vector.GetProperty("structure").GetString()!, static vector =>
                Convert.FromHexString(vector.GetProperty("hex").GetString()!)));

    public static IReadOnlyList<byte[]> Of(string structure)
    {
        byte[][] found = [.. s_all.Value[structure]];
        return found.Length > 0 ? found : throw new InvalidOperationException($"No published vector has the structure {structure}.");
    }
}
