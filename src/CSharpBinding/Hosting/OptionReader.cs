using System.Text.Json;

namespace Ambrosia.Hosting;

/// <summary>
/// Gathers the options of one immortal and remembers where each came from. Options that it does not know are the app's own.
/// </summary>
internal sealed class OptionReader(ImmortalOptions options, Func<string, string?> environment)
{
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
            string place = $"give it to the coordinator at {options.BindingSocket}";
            if (isRunning && options.Ingress.Length > 0)
            {
                yield return $"--ingress changes nothing here, because the coordinator runs already: {place}.";
            }

            foreach (string name in _misplaced)
            {
                yield return $"--{name} is an option of the coordinator and changes nothing here, unless this app has one of that name: "
                    + $"{(isRunning ? place : $"write --coordinator-arguments \"--{name} ...\"")}.";
            }
        }
    }

    /// <summary>Reads all sources, the weakest first.</summary>
    /// <param name="args">Command line.</param>
    /// <param name="settingsJson">Content of appsettings.json, or null.</param>
    /// <exception cref="OptionException">A value is wrong, or an option looks like a misspelt one.</exception>
    public void Read(IReadOnlyList<string> args, string? settingsJson)
    {
        ReadSettings(settingsJson);
        foreach (OptionDefinition option in OptionDefinition.All)
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
        foreach (OptionDefinition option in OptionDefinition.All)
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
        foreach (OptionDefinition option in OptionDefinition.All)
        {
            yield return $"  {(option.IsSecret ? option.Variable : $"--{option.Name} <{option.Value}>"),-38} {option.Help}";
        }

        yield return $"  {"--print-config",-38} Show each value and where it came from.";
        yield return $"  {"--help",-38} Show this text.";
        yield return "";
        yield return $"Example: {app} --instance-name bank2 --store file:/var/lib/bank2";
    }

    private void Apply(OptionDefinition option, string value, string origin)
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
            if (document.RootElement.ValueKind != JsonValueKind.Object || !document.RootElement.TryGetProperty("Ambrosia", out JsonElement section))
            {
                return;
            }

            foreach (OptionDefinition option in OptionDefinition.All)
            {
                if (section.TryGetProperty(option.Key, out JsonElement value))
                {
                    Apply(option, value.ToString(), $"appsettings.json Ambrosia:{option.Key}");
                }
            }
        }
        catch (JsonException error)
        {
            throw new OptionException($"appsettings.json cannot be read: {error.Message}");
        }
    }

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
            OptionDefinition? option = OptionDefinition.All.FirstOrDefault(known => known.Name == parts[0]);
            if (option is null)
            {
                RefuseMisspelt(parts[0]);
                if (CoordinatorOption.Names.Contains(parts[0]) && !_misplaced.Contains(parts[0]))
                {
                    _misplaced.Add(parts[0]);
                }
            }
            else if (option.IsSecret)
            {
                throw new OptionException($"--{option.Name}: everybody sees the command line who lists processes. Set {option.Variable}, or name a file with --{option.Name}-file.");
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

    // The app may have options of its own, so only what is almost one of ours is an error.
    private static void RefuseMisspelt(string name)
    {
        foreach (OptionDefinition option in OptionDefinition.All)
        {
            if (name.Length > 4 && Distance(name, option.Name) is 1 or 2)
            {
                throw new OptionException($"There is no option --{name}. Did you mean --{option.Name}?");
            }
        }
    }

    private static int Distance(string left, string right)
    {
        int[] row = [.. Enumerable.Range(0, right.Length + 1)];
        for (int i = 1; i <= left.Length; i++)
        {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= right.Length; j++)
            {
                int substitute = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(substitute, Math.Min(row[j], row[j - 1]) + 1);
            }
        }

        return row[^1];
    }
}
