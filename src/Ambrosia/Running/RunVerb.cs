using System.CommandLine;
using Ambrosia.Cli.Output;
using Ambrosia.Cli.Verbs;

namespace Ambrosia.Cli.Running;

/// <summary><c>ambrosia run NAME -- PROGRAM ARGUMENTS...</c></summary>
internal sealed class RunVerb(Places places, Terminal terminal, Func<string, string?> environment, TimeProvider time) : IVerb
{
    private readonly Argument<string> _name = new("name") { Description = "Instance." };
    private readonly Argument<string[]> _program = new("program") { Description = "The app and its arguments, behind --.", Arity = ArgumentArity.OneOrMore };
    private readonly Option<string[]> _coordinator = new("--coordinator-option")
    {
        Description = "An option passed to the coordinator, as in --coordinator-option=--segment-size=16MiB. May be repeated.",
        HelpName = "OPTION",
        Arity = ArgumentArity.ZeroOrMore,
    };

    public Command Build()
    {
        var command = new Command("run", "Run coordinator and app in this terminal; what crashes is started again and recovers.\n\nExample: ambrosia run bank -- dotnet Bank.dll") { _name, _coordinator, _program };
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string name = parsed.GetValue(_name)!;
        if (!Protocol.InstanceName.IsValid(name))
        {
            throw new CommandException(CommandExit.Usage, $"'{name}' is not an instance name: write 1 to 63 letters, digits, '.', '_' or '-', beginning with a letter or digit.");
        }

        var launch = new Launch
        {
            Instance = name,
            Coordinator = environment("AMBROSIA_COORDINATOR") is { Length: > 0 } given ? given : Path.Combine(AppContext.BaseDirectory, "Ambrosia.ImmortalCoordinator"),
            Store = places.Store(parsed),
            Catalog = places.Catalog(parsed),
            Cluster = places.Cluster(parsed),
            Socket = places.BindingSocket(parsed, name),
            Admin = places.Admin(parsed, name).ToString(),
            CoordinatorOptions = parsed.GetValue(_coordinator) ?? [],
            Program = parsed.GetValue(_program)!,
        };
        if (!File.Exists(launch.Coordinator))
        {
            throw new CommandException(CommandExit.Failed, $"There is no coordinator at {launch.Coordinator}. Name one by AMBROSIA_COORDINATOR.");
        }

        return await new Pair(launch, terminal, time).RunAsync(cancellationToken);
    }
}
