namespace Ambrosia.CoordinatorHost.Options;

/// <summary>The options of one start with the origin of each: command line, else environment, else file, else default.</summary>
public sealed class Configuration
{
    private readonly Dictionary<string, string> _origins = [];

    private Configuration(CommandLineAction action) => Action = action;

    /// <summary>What the command line asks for.</summary>
    public CommandLineAction Action { get; }

    /// <summary>The options, complete and valid unless the action is help or version.</summary>
    public CoordinatorOptions Options { get; } = new();

    /// <summary>Reads all sources.</summary>
    /// <param name="arguments">The command line.</param>
    /// <param name="environment">Value of an environment variable, or null.</param>
    /// <param name="variables">The names of all environment variables, to find those that are almost an option's; null to look for
    /// none.</param>
    /// <exception cref="OptionsException">Something is wrong; everything that is wrong is said at once.</exception>
    public static Configuration Read(
        IReadOnlyList<string> arguments, Func<string, string?> environment, IEnumerable<string>? variables = null)
    {
        CommandLine line = CommandLine.Parse(arguments);
        var configuration = new Configuration(line.Action);
        if (line.Action is CommandLineAction.Help or CommandLineAction.Version)
        {
            return configuration;
        }

        List<OptionError> errors = [.. line.Errors, .. MisspeltVariable.Among(variables ?? [], environment)];
        var values = new Dictionary<string, OptionValue>();
        if ((line.ConfigFile ?? environment("AMBROSIA_CONFIG")) is { Length: > 0 } file)
        {
            ConfigurationFile.Read(file, values, errors);
        }

        foreach (OptionDefinition option in OptionDefinitions.All)
        {
            if (environment(option.Variable) is { Length: > 0 } text)
            {
                values[option.Name] = new(text, option.Variable);
            }

            if (line.Values.TryGetValue(option.Name, out OptionValue value))
            {
                values[option.Name] = value;
            }
        }

        configuration.Bind(values, errors);
        new DefaultPlaces(environment).Complete(configuration.Options);
        // Limits are judged only once every single value is understood: what follows from a misread value would confuse.
        errors.AddRange(errors.Count == 0 ? CoordinatorOptionsValidator.Validate(configuration.Options) : []);
        return errors.Count == 0 ? configuration : throw new OptionsException(errors);
    }

    /// <summary>One line per option: name, value, origin.</summary>
    public IEnumerable<string> Describe()
    {
        int width = OptionDefinitions.All.Max(static option => option.Name.Length);
        return OptionDefinitions.All.Select(option =>
            $"{option.Name.PadRight(width)}  {(option.Show(Options) is { Length: > 0 } value ? value : "(none)")}  "
            + $"[{_origins.GetValueOrDefault(option.Name, "default")}]");
    }

    private void Bind(Dictionary<string, OptionValue> values, List<OptionError> errors)
    {
        foreach (OptionDefinition option in OptionDefinitions.All)
        {
            if (values.TryGetValue(option.Name, out OptionValue value))
            {
                _origins[option.Name] = value.Origin;
                if (option.Apply(Options, value.Text) is { } advice)
                {
                    errors.Add(new(ProcessErrors.BadOptionValue, $"'{value.Text}' is not a value of this option",
                        $"--{option.Name} ({value.Origin})", advice));
                }
            }
        }
    }
}
