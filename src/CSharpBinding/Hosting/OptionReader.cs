using System.Text.Json;

namespace Ambrosia.Hosting;

/// <summary>
/// Gathers the options of one immortal and remembers where each came from. Options that it does not know are the app's own.
/// </summary>
internal sealed class OptionReader(ImmortalOptions options, Func<string, string?> environment)
{
    /// <summary>The section of a host's settings.</summary>
    public const string Section = "Ambrosia";

    private readonly Dictionary<string, string> _origins = [];
    private readonly List<string> _misplaced = [];

    /// <summary>True if the command line asks for help.</summary>
    public bool WantsHelp { get; private set; }

    /// <summary>True if the command line asks for the values.</summary>
    public bool WantsConfig { get; private set; }

    /// <summary>One line for each option of the coordinator that this app was given, and that may do nothing.</summary>
    public IEnumerable<string> Hints
    {
        get
        {
            bool isRunning = options.BindingSocket.Length > 0;
            if (isRunning && options.Ingress.Length > 0)
            {
                yield return $"--ingress changes nothing here, because the coordinator runs already: {Place("ingress")}.";
            }

            foreach (string name in _misplaced)
            {
                yield return $"--{name} is an option of the coordinator and changes nothing here, unless this app has one of that name: "
                    + $"{(isRunning ? Place(name) : $"write --coordinator-arguments \"--{name} ...\"")}.";
            }
        }
    }

    private string Place(string name) =>
        $"give it to the coordinator at {options.BindingSocket}, with ambrosia run as --coordinator-option=--{name}=VALUE";

    /// <summary>Reads all sources, the weakest first.</summary>
    /// <param name="args">Command line.</param>
    /// <param name="settingsJson">Content of appsettings.json, or null.</param>
    /// <exception cref="OptionException">A value is wrong, or an option looks like a misspelt one.</exception>
    public void Read(IReadOnlyList<string> args, string? settingsJson)
    {
        ReadSettings(settingsJson);
        foreach (AppOption option in AppOption.All)
        {
            if (environment(option.Variable) is { Length: > 0 } value)
            {
                Apply(option, value, option.Variable);
            }
        }

        ReadArguments(args);
    }

    /// <summary>Each value and where it came from, one line each.</summary>
    public IEnumerable<string> Describe()
    {
        foreach (AppOption option in AppOption.All)
        {
            yield return $"{option.Name,-22} {option.Get(options),-30} {_origins.GetValueOrDefault(option.Name, "default")}";
        }
    }

    /// <summary>The help text.</summary>
    public static IEnumerable<string> Help(string app)
    {
        yield return $"Usage: {app} [options]";
        yield return "";
        yield return "Options of the immortal (also as AMBROSIA_... variables and in the section Ambrosia of appsettings.json):";
        foreach (AppOption option in AppOption.All)
        {
            yield return $"  {(option.IsSecret ? option.Variable : $"--{option.Name} <{option.Value}>"),-38} {option.Help}";
        }

        yield return $"  {"--print-config",-38} Show each value and where it came from.";
        yield return $"  {"--help",-38} Show this text.";
        yield return "";
        yield return $"Example: {app} --instance-name bank2 --store file:/var/lib/bank2";
    }

    private void Apply(AppOption option, string value, string origin)
    {
        option.Apply(options, value, origin);
        _origins[option.Name] = origin;
    }

    private void ReadSettings(string? json)
    {
        if (json is null)
        {
            return;
        }

        try
        {
            var rules = new JsonDocumentOptions { CommentHandling = JsonCommentHandling.Skip, AllowTrailingCommas = true };
            using JsonDocument document = JsonDocument.Parse(json, rules);
            if (document.RootElement.ValueKind == JsonValueKind.Object)
            {
                foreach (JsonProperty section in document.RootElement.EnumerateObject().Where(static each => IsNamed(each, Section)))
                {
                    ReadSection(section.Value);
                }
            }
        }
        catch (JsonException error)
        {
            throw new OptionException($"appsettings.json cannot be read: {error.Message}");
        }
    }

    // As IConfiguration reads it: capitals do not matter, and what is an object of its own is no option.
    private void ReadSection(JsonElement section)
    {
        if (section.ValueKind != JsonValueKind.Object)
        {
            throw new OptionException(
                $"appsettings.json {Section} is no section: write {{ \"{Section}\": {{ \"Store\": \"file:/path\" }} }}.");
        }

        foreach (JsonProperty setting in section.EnumerateObject().Where(static each => each.Value.ValueKind != JsonValueKind.Object))
        {
            if (AppOption.All.FirstOrDefault(option => IsNamed(setting, option.Key)) is not { } known)
            {
                MisspeltOption.RefuseKey(setting.Name, $"appsettings.json {Section}");
            }
            else if (setting.Value.ToString() is { Length: > 0 } value)
            {
                Apply(known, value, $"appsettings.json {Section}:{known.Key}");
            }
        }
    }

    private static bool IsNamed(JsonProperty property, string name) =>
        string.Equals(property.Name, name, StringComparison.OrdinalIgnoreCase);

    private void ReadArguments(IReadOnlyList<string> args)
    {
        for (int i = 0; i < args.Count && args[i] != "--"; i++)
        {
            if (!args[i].StartsWith("--", StringComparison.Ordinal))
            {
                continue;
            }

            string[] parts = args[i][2..].Split('=', 2);
            WantsHelp |= parts[0] == "help";
            WantsConfig |= parts[0] == "print-config";
            AppOption? option = AppOption.All.FirstOrDefault(known => known.Name == parts[0]);
            if (option is null)
            {
                MisspeltOption.RefuseArgument(parts[0]);
                if (CoordinatorOption.Names.Contains(parts[0]) && !_misplaced.Contains(parts[0]))
                {
                    _misplaced.Add(parts[0]);
                }
            }
            else if (option.IsSecret)
            {
                throw new OptionException(
                    $"--{option.Name}: every user that lists processes sees the command line. Set {option.Variable}, or name a file with "
                    + $"--{option.Name}-file.");
            }
            else if (parts.Length == 2)
            {
                Apply(option, parts[1], "--" + option.Name);
            }
            else if (++i < args.Count)
            {
                Apply(option, args[i], "--" + option.Name);
            }
            else
            {
                throw new OptionException($"--{option.Name} needs a value: <{option.Value}>. {option.Help}");
            }
        }
    }
}
