using System.Text.Json;

namespace Ambrosia.CoordinatorHost.Options;

/// <summary>
/// Options from a JSON file: an object with option names as keys, or one with such an object under <c>Ambrosia</c> (so that an
/// appsettings.json can be given). Comments and trailing commas are allowed.
/// </summary>
internal static class ConfigurationFile
{
    private static readonly JsonDocumentOptions s_lenient = new()
        { AllowTrailingCommas = true, CommentHandling = JsonCommentHandling.Skip };

    public static void Read(string path, Dictionary<string, OptionValue> values, List<OptionError> errors)
    {
        try
        {
            Parse(path, File.ReadAllBytes(path), values, errors);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            errors.Add(new(ProcessErrors.ConfigurationFileUnusable, $"the configuration file cannot be read: {error.Message}", path,
                "correct the path given with --config or AMBROSIA_CONFIG"));
        }
    }

    /// <summary>Takes the options out of the file's bytes.</summary>
    public static void Parse(string path, ReadOnlyMemory<byte> bytes, Dictionary<string, OptionValue> values, List<OptionError> errors)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(bytes, s_lenient);
            if (document.RootElement.ValueKind != JsonValueKind.Object)
            {
                errors.Add(new(ProcessErrors.ConfigurationFileUnusable, "the configuration file is no JSON object", path,
                    """write { "Ambrosia": { "store": "file:/folder" } }"""));
                return;
            }

            JsonElement section = document.RootElement.TryGetProperty("Ambrosia", out JsonElement inner)
                && inner.ValueKind == JsonValueKind.Object ? inner : document.RootElement;
            foreach (JsonProperty property in section.EnumerateObject())
            {
                Take(path, property, values, errors);
            }
        }
        catch (InvalidOperationException error)
        {
            errors.Add(new(ProcessErrors.ConfigurationFileUnusable,
                $"the configuration file holds a name or value that is no text: {error.Message}", path,
                "write it in UTF-8, without halves of surrogate pairs"));
        }
        catch (JsonException error)
        {
            errors.Add(new(ProcessErrors.ConfigurationFileUnusable, $"the configuration file is not JSON: {error.Message}", path,
                "correct the file"));
        }
    }

    private static void Take(string path, JsonProperty property, Dictionary<string, OptionValue> values, List<OptionError> errors)
    {
        if (OptionDefinitions.Find(property.Name) is not { } option)
        {
            errors.Add(CommandLine.Unknown(property.Name, path, ""));
        }
        else if (property.Value.ValueKind is JsonValueKind.Object or JsonValueKind.Array)
        {
            errors.Add(new(ProcessErrors.BadOptionValue, $"the value of '{property.Name}' is no text, number or truth value", path,
                "write a single value"));
        }
        else if (property.Value.ValueKind != JsonValueKind.Null)
        {
            values[option.Name] = new(property.Value.ToString(), path);
        }
    }
}
