using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Cli.Verbs;
using Ambrosia.Coordinator.Operations;
using Ambrosia.LogStore.Catalog;

namespace Ambrosia.Cli.Running;

/// <summary><c>ambrosia upgrade NAME -- PROGRAM ARGUMENTS...</c></summary>
internal sealed class UpgradeVerb(Places places, Terminal terminal, Option<bool> json, TimeProvider time) : IVerb
{
    private const string Legacy =
        "An app of AMBROSIA's published protocol is upgraded at a start: give its coordinator --legacy-upgrade-to VERSION, then start the "
            + "new app.";

    private readonly Argument<string> _name = new("name") { Description = "Instance." };
    private readonly Argument<string[]> _program = new("program")
        { Description = "The new app and its arguments, after --.", Arity = ArgumentArity.OneOrMore };

    public Command Build()
    {
        var command = new Command(
            "upgrade",
            "Let a new app take the place of the one that serves an instance, with its state converted, while the instance runs. "
            + "If that fails, the old one goes on. The new app then runs in this terminal; what crashes is started again.\n\n"
            + "An app of AMBROSIA's published protocol is upgraded at a start of its coordinator, with --legacy-upgrade-to VERSION.\n\n"
            + "Example: ambrosia upgrade bank -- dotnet BankV2.dll")
        {
            _name, _program,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string name = InstanceName.Validate(parsed.GetValue(_name)!);
        using AdminClient admin = await places.ConnectAsync(parsed, name);
        CoordinatorStatus status = await admin.TryStatusAsync(cancellationToken) ?? throw await AbsentAsync(parsed, name);
        if (status.BindingAddress.Length == 0)
        {
            throw new CommandException(CommandExit.Refused, $"{name} has no address at which an app of version 2 attaches: only "
                + $"--receive-port and --send-port are open. {Legacy}");
        }

        var launch = new SuccessorLaunch { Instance = name, Socket = status.BindingAddress, Program = parsed.GetValue(_program)! };
        return await new SuccessorRun(launch, admin, status.Upgrade, parsed.GetValue(json), terminal, time).RunAsync(cancellationToken);
    }

    private async Task<CommandException> AbsentAsync(ParseResult parsed, string name)
    {
        await using ICatalog catalog = places.OpenCatalog(parsed);
        InstanceFacts facts = await InstanceFacts.ReadAsync(name, places.Store(parsed), places.Log(parsed), catalog, places.Environment);
        return facts.State switch
        {
            "absent" => places.NotFound(parsed, name),
            "stopped" =>
                new CommandException(CommandExit.Refused, $"{name} is not running. Start the new app with --upgrade true: it converts the "
                    + $"state before it serves. {Legacy}"),
            _ => new CommandException(
                CommandExit.Unavailable, $"{name} is running, but its coordinator does not answer at "
                    + $"{await places.AdminAsync(parsed, name)}. Start it by 'ambrosia run', or with --admin, and name that address here."),
        };
    }
}
