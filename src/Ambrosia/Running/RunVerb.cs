using System.CommandLine;
using System.CommandLine.Parsing;
using Ambrosia.Cli.Applications;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Running;

/// <summary>
/// <c>ambrosia run NAME -- PROGRAM ARGUMENTS...</c>, <c>ambrosia run --file FILE</c>, and <c>ambrosia move</c>, which asks the process
/// that serves the instance to hand over.
/// </summary>
internal sealed class RunVerb(Places places, Terminal terminal, Func<string, string?> environment, TimeProvider time, bool moves) : IVerb
{
    /// <summary>The option that passes another one to the coordinator.</summary>
    public const string ForCoordinator = "--coordinator-option";

    private readonly Launches _launches = new(places, environment, time);
    private readonly Argument<string> _name = new("name") { Description = "Instance." };
    private readonly Argument<string[]> _program = new("program")
        { Description = "The app and its arguments, after --.", Arity = ArgumentArity.OneOrMore };
    private readonly Option<int?> _replica = new("--replica-id")
    {
        Description = "Number of this replica, 0 to 99: several may run, one serves, the others follow, and one is promoted when it ends.",
        HelpName = "NUMBER",
    };

    private readonly Option<string[]> _coordinator = new(ForCoordinator)
    {
        Description = "An option passed to the coordinator, as in --coordinator-option=--segment-size=16MiB. May be repeated.",
        HelpName = "OPTION",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private readonly Option<string?> _file = new("--file", "-f")
    {
        Description = "Run all immortals and programs of this file.", HelpName = "FILE",
    };

    public Command Build()
    {
        Command command = moves
            ? new Command("move",
                "Run coordinator and app here, and let the instance go on in them: once they are ready, the ones that serve it hand over "
                + "and end. The store must be shared.\n\nExample: ambrosia move bank -- dotnet Bank.dll")
            : new Command("run", "Run coordinator and app in this terminal, or all of an application; what crashes is started again and "
                + "recovers.\n\nExample: ambrosia run bank -- dotnet Bank.dll\nExample: ambrosia run -f app.json");
        if (!moves)
        {
            (_name.Arity, _program.Arity) = (ArgumentArity.ZeroOrOne, ArgumentArity.ZeroOrMore);
            command.Options.Add(_file);
            command.Validators.Add(RequireNameOrFile);
        }

        command.Arguments.Add(_name);
        command.Options.Add(_replica);
        command.Options.Add(_coordinator);
        command.Arguments.Add(_program);
        command.SetAction(RunAsync);
        return command;
    }

    private void RequireNameOrFile(CommandResult result)
    {
        string[] wrong = result.GetValue(_file) is null
            ? [.. new Argument[] { _name, _program }.Where(argument => result.GetResult(argument) is not { Tokens.Count: > 0 })
                .Select(static argument => $"'ambrosia run' needs <{argument.Name}>: {argument.Description}")]
            : [.. result.Children.Where(static child => child is ArgumentResult { Tokens.Count: > 0 }).Take(1)
                .Select(static _ => "--file names everything that runs: no instance or program stands beside it."),
                .. result.GetResult(_replica) is null && result.GetResult(_coordinator) is null ? [] : new[]
                {
                    "--replica-id and --coordinator-option belong into the file: \"replicas\" and \"options\" of an immortal.",
                }];
        Array.ForEach(wrong, result.AddError);
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        if (parsed.GetValue(_file) is { } file && !moves)
        {
            var run = new ApplicationRun(ApplicationFile.Read(file), parsed, places, _launches, terminal, time);
            return await run.RunAsync(cancellationToken);
        }

        string name = parsed.GetValue(_name)!;
        if (!InstanceName.IsValid(name))
        {
            throw new CommandException(CommandExit.Usage,
                $"'{name}' is not an instance name: write 1 to 63 letters, digits, '.', '_' or '-', beginning with a letter or digit.");
        }

        int? replica = parsed.GetValue(_replica) ?? (moves ? await Replicas.FreeNumberAsync(places.Store(parsed), name, places.Log(parsed),
            places.Environment, () => places.OpenCatalog(parsed)) : null);
        if (replica is < 0 or > 99)
        {
            throw new CommandException(CommandExit.Usage,
                $"--replica-id {replica}: write a number from 0 to 99, another one for each replica.");
        }

        if (!moves)
        {
            await _launches.RequireFreeAsync(parsed, name, replica, cancellationToken);
        }

        int? sockets = moves ? places.SocketsToMoveTo(parsed, name, replica) : replica;
        Launch launch = _launches.Of(parsed, name, replica, sockets, parsed.GetValue(_program)!, parsed.GetValue(_coordinator) ?? []);
        using var pair = new Pair(launch with { AsksForHandover = moves }, ("coordinator", "app"), terminal, time);
        using var signals = new StopSignals(pair.Interrupt);
        terminal.Line($"{name}: coordinator and {launch.Program[0]}; Ctrl+C stops both");
        return await pair.RunAsync(cancellationToken);
    }
}
