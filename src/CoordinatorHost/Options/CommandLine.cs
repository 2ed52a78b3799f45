namespace Ambrosia.CoordinatorHost.Options;

/// <summary>
/// Splits arguments into option texts: <c>--name value</c>, <c>--name=value</c>, or <c>--name</c> alone for a switch. Our own, because one
/// table then serves command line, environment, file, help and <c>--print-config</c>, and every mistake gets our kind of sentence.
/// </summary>
internal sealed class CommandLine
{
    private const string Origin = "command line";
    private static readonly string[] s_actions = ["help", "version", "print-config", "print-admin-token", "config"];

    public CommandLineAction Action { get; private set; }

    /// <summary>Value of <c>--config</c>, or null.</summary>
    public string? ConfigFile { get; private set; }

    public Dictionary<string, OptionValue> Values { get; } = [];

    public List<OptionError> Errors { get; } = [];

    public static CommandLine Parse(IReadOnlyList<string> arguments)
    {
        var line = new CommandLine();
        for (int i = 0; i < arguments.Count; i++)
        {
            line.Take(arguments, ref i);
        }

        return line;
    }

    private void Take(IReadOnlyList<string> arguments, ref int i)
    {
        string argument = arguments[i];
        if (argument is "-h" or "-?" or "--help")
        {
            Action = CommandLineAction.Help;
            return;
        }

        if (argument is "--version" or "--print-config" or "--print-admin-token")
        {
            Action = argument switch
            {
                "--version" => CommandLineAction.Version,
                "--print-config" => CommandLineAction.PrintConfig,
                _ => CommandLineAction.PrintAdminToken,
            };
            return;
        }

        int equals = argument.IndexOf('=', StringComparison.Ordinal);
        string name = (equals < 0 ? argument : argument[..equals]).TrimStart('-');
        if (!argument.StartsWith("--", StringComparison.Ordinal))
        {
            string advice = OriginalOptions.Answer(argument) ?? "options begin with --; --help lists all";
            Errors.Add(new(ProcessErrors.UnknownOption, $"'{argument}' is not an option", Origin, advice));
            _ = equals < 0 && argument.StartsWith('-') ? Next(arguments, ref i) : null;
            return;
        }

        OptionDefinition? option = OptionDefinitions.Find(name);
        if (option is null && name != "config")
        {
            Errors.Add(Unknown(argument, Origin, "--"));
            _ = equals < 0 ? Next(arguments, ref i) : null; // What follows is probably its value: one mistake, one sentence.
            return;
        }

        string? value = equals >= 0 ? argument[(equals + 1)..] : option is { IsSwitch: true } ? "true" : Next(arguments, ref i);
        if (value is null)
        {
            Errors.Add(new(ProcessErrors.BadOptionValue, "a value is missing", $"--{name} ({Origin})",
                $"write --{name} {option?.Value ?? "FILE"}"));
        }
        else if (option is null)
        {
            ConfigFile = value;
        }
        else if (!Values.TryAdd(option.Name, new(value, Origin)))
        {
            Errors.Add(new(ProcessErrors.OptionsContradict, "the option is given twice", $"--{option.Name} ({Origin})", "give it once"));
        }
    }

    private static string? Next(IReadOnlyList<string> arguments, ref int i) =>
        i + 1 < arguments.Count && !arguments[i + 1].StartsWith("--", StringComparison.Ordinal) ? arguments[++i] : null;

    /// <summary>The sentence for a name that nobody knows, with the nearest one that somebody does.</summary>
    public static OptionError Unknown(string name, string where, string prefix)
    {
        string plain = name.Split('=')[0].TrimStart('-');
        string? nearest = NearestName.Of(plain, OptionDefinitions.All.Select(static option => option.Name).Concat(s_actions));
        string advice = OriginalOptions.Answer(name) ?? (nearest is null ? "--help lists all options"
            : $"did you mean {prefix}{nearest}? --help lists all");
        return new(ProcessErrors.UnknownOption, $"'{name}' is not an option", where, advice);
    }
}
