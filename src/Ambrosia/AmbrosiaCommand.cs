using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Parsing;
using Ambrosia.Cli.Applications;
using Ambrosia.Cli.Clients;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Explaining;
using Ambrosia.Cli.History;
using Ambrosia.Cli.Output;
using Ambrosia.Cli.Running;
using Ambrosia.Cli.Verbs;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;

namespace Ambrosia.Cli;

/// <summary>All verbs under one roof, and the way from failures to exit codes.</summary>
internal sealed class AmbrosiaCommand
{
    // These end what they started in an order of their own when a signal comes; the others are told by their token, and may take this long.
    private static readonly string[] s_mindSignals = ["run", "move", "upgrade", "gateway"];
    private static readonly TimeSpan s_farewell = TimeSpan.FromSeconds(2);
    private const string Advice = "'ambrosia --help' lists the verbs, 'ambrosia VERB --help' explains one.";
    private readonly Terminal _terminal;
    private readonly RootCommand _root;
    private readonly Dictionary<Command, Option[]> _unused = [];

    public AmbrosiaCommand(Terminal terminal, Func<string, string?> environment, TimeProvider time)
    {
        _terminal = terminal;
        var places = new Places(environment);
        var json = new Option<bool>("--json") { Description = "Print JSON.", Recursive = true };
        _root = new RootCommand("Run, look at and look after immortals.");
        foreach (Option option in places.Options.Append(json))
        {
            _root.Options.Add(option);
        }

        IVerb[] verbs =
        [
            new RunVerb(places, terminal.Lossy(), environment, time, moves: false),
            new RunVerb(places, terminal.Lossy(), environment, time, moves: true),
            new UpgradeVerb(places, terminal.Lossy(), json, time), new StatusVerb(places, terminal, json),
            new CatalogVerb(places, terminal, json),
            new CheckpointVerb(places, terminal, json), new QueryVerb(places, terminal, json), new DeadLettersVerb(places, terminal, json),
            new EffectsVerb(places, terminal, json), new EraseVerb(places, terminal, json),
            new DebugVerb(places, terminal, json, terminal.Input, time), new RetestVerb(places, terminal, json, time),
            new VerifyVerb(places, terminal, json, time),
            new LogVerb(places, terminal, json, time), new TopVerb(places, terminal, json, time),
            new DoctorVerb(places, terminal, json), new GatewayVerb(places, terminal, time), new ExplainVerb(terminal, json),
            new ManifestsVerb(terminal, json), new ClientVerb(terminal, json), new CompletionVerb(terminal),
        ];
        foreach (IVerb verb in verbs)
        {
            Command command = verb.Build();
            _root.Subcommands.Add(command);
            _unused[command] = [.. _root.Options.Where(option => option.Recursive && option is not HelpOption && !verb.Uses(option))];
        }
    }

    /// <summary>All verbs, as they are parsed.</summary>
    public Command Root => _root;

    /// <summary>Carries out one command line; returns the exit code.</summary>
    public async Task<int> RunAsync(string[] args)
    {
        // What begins with an @ is a name, as of a package for npm, and no file with more arguments.
        ParseResult parsed = _root.Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });
        if (MistypedVerb(parsed) is { } mistyped)
        {
            _terminal.Error(mistyped);
            _terminal.Error(Advice);
            return (int)CommandExit.Usage;
        }

        HideUnused(parsed);
        string[] strays = [.. StrayOptions(parsed)];
        if (parsed.Errors.Count > 0 || strays.Length > 0)
        {
            foreach (string mistake in strays.Concat(strays.Length > 0 ? [] : parsed.Errors.Select(MistakeOf)).Distinct())
            {
                _terminal.Error(mistake);
            }

            _terminal.Error(Advice);
            return (int)CommandExit.Usage;
        }

        try
        {
            return await parsed.InvokeAsync(new InvocationConfiguration
            {
                EnableDefaultExceptionHandler = false,
                Output = _terminal.Output,
                ProcessTerminationTimeout = s_mindSignals.Contains(parsed.CommandResult.Command.Name) ? null : s_farewell,
            });
        }
        catch (CommandException failure)
        {
            _terminal.Error(failure.Message);
            return (int)failure.Code;
        }
        catch (OperationCanceledException)
        {
            return (int)CommandExit.Interrupted; // The person who pressed Ctrl+C knows.
        }
        catch (Exception error) when (error is OptionsException or InstanceNameException)
        {
            // There is no place to look in; or the rule for names, wherever it was asked.
            _terminal.Error(error is InstanceNameException name ? name.Line : error.Message);
            return (int)CommandExit.Usage;
        }
        catch (FileFailedException refused) when (refused.Error is Errno.EACCES or Errno.EPERM)
        {
            _terminal.Error($"{refused.Message}: this user may not look there. Run it as the coordinator's user, or as root.");
            return (int)CommandExit.Failed;
        }
        catch (Exception error) when (error is LogStoreException or FileStoresUnsupportedException or TimeTravel.ReplayException
            or IOException or UnauthorizedAccessException or ArgumentException)
        {
            _terminal.Error(error.Message);
            return (int)CommandExit.Failed;
        }
    }

    // All verbs share these options, so that they may stand before the verb, too. What a verb does not read, its help does not show.
    private void HideUnused(ParseResult parsed)
    {
        for (SymbolResult? at = parsed.CommandResult; at is CommandResult { Command: var command }; at = at.Parent)
        {
            Array.ForEach(_unused.GetValueOrDefault(command, []), static option => option.Hidden = true);
        }
    }

    // A verb that there is not, where one is needed; with the one that was probably meant, if one is near.
    private static string? MistypedVerb(ParseResult parsed)
    {
        Command command = parsed.CommandResult.Command;
        string? typed = parsed.UnmatchedTokens.FirstOrDefault(static token => !token.StartsWith('-'));
        if (parsed.Errors.Count == 0 || command.Subcommands.Count == 0 || command.Arguments.Count > 0 || typed is null)
        {
            return null;
        }

        string outer = command is RootCommand ? "" : PathOf(command, parsed.CommandResult) + " ";
        string? near = NearestName.Of(typed, command.Subcommands.Where(static verb => !verb.Hidden).Select(static verb => verb.Name));
        return $"There is no verb '{outer}{typed}'.{(near is null ? "" : $" Did you mean '{outer}{near}'?")}";
    }

    // As it is typed: "checkpoint list".
    private static string PathOf(Command command, SymbolResult result)
    {
        string verb = command.Name;
        for (SymbolResult? above = result.Parent; above is CommandResult { Command: not RootCommand } outer; above = outer.Parent)
        {
            verb = $"{outer.Command.Name} {verb}";
        }

        return verb;
    }

    // What begins like an option and is none, the library takes for an argument: nobody has an instance of such a name, nor a program. What
    // stands after the program's name is the app's.
    private static IEnumerable<string> StrayOptions(ParseResult parsed)
    {
        IEnumerable<string> strays = parsed.CommandResult.Children.OfType<ArgumentResult>()
            .SelectMany(static argument => argument.Argument.Name == "program" ? argument.Tokens.Take(1) : argument.Tokens)
            .Select(static token => token.Value)
            .Concat(parsed.UnmatchedTokens).Where(static text => text.StartsWith("--", StringComparison.Ordinal) && text.Length > 2);
        var known = new List<string>();
        for (SymbolResult? at = parsed.CommandResult; at is CommandResult command; at = command.Parent)
        {
            known.AddRange(command.Command.Options.Where(option => option.Recursive || command == parsed.CommandResult)
                .Select(static option => option.Name));
        }

        foreach (string stray in strays)
        {
            string name = stray.Split('=')[0];
            string? near = NearestName.Of(name[2..], known.Select(static option => option.TrimStart('-')));
            string advice = near is not null ? $". Did you mean --{near}?" : known.Contains(RunVerb.ForCoordinator)
                ? $". One of the coordinator is written {RunVerb.ForCoordinator}={name}=VALUE" : "";
            yield return $"There is no option {name}{advice}";
        }
    }

    // The library says that a required argument is missing, once for each, and not which.
    private static string MistakeOf(ParseError error)
    {
        if (error.SymbolResult is not ArgumentResult { Tokens.Count: 0, Parent: CommandResult { Command: var command } } missing)
        {
            return error.Message;
        }

        return $"'ambrosia {PathOf(command, missing.Parent!)}' needs <{missing.Argument.Name}>: {missing.Argument.Description}";
    }
}
