using System.CommandLine;
using System.Globalization;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Cli.Verbs;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Cli.Running;

/// <summary><c>ambrosia run NAME -- PROGRAM ARGUMENTS...</c>, and <c>ambrosia move</c>, which asks whoever serves the instance to hand over.</summary>
internal sealed class RunVerb(Places places, Terminal terminal, Func<string, string?> environment, TimeProvider time, bool moves) : IVerb
{
    private static readonly TimeSpan s_dyingTime = TimeSpan.FromMilliseconds(1500); // One whose owner was killed needs up to 0.8 s to end.
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(50);
    private readonly Argument<string> _name = new("name") { Description = "Instance." };
    private readonly Argument<string[]> _program = new("program") { Description = "The app and its arguments, behind --.", Arity = ArgumentArity.OneOrMore };
    private readonly Option<int?> _replica = new("--replica-id")
    {
        Description = "Number of this replica, 0 to 99: several may run, one serves, the others follow and take over.",
        HelpName = "NUMBER",
    };

    private readonly Option<string[]> _coordinator = new("--coordinator-option")
    {
        Description = "An option passed to the coordinator, as in --coordinator-option=--segment-size=16MiB. May be repeated.",
        HelpName = "OPTION",
        Arity = ArgumentArity.ZeroOrMore,
    };

    public Command Build()
    {
        Command command = moves
            ? new Command("move", "Run coordinator and app here, and let the instance go on in them: once they are ready, the ones that serve it hand over and end. The store must be shared.\n\nExample: ambrosia move bank -- dotnet Bank.dll")
            : new Command("run", "Run coordinator and app in this terminal; what crashes is started again and recovers.\n\nExample: ambrosia run bank -- dotnet Bank.dll");
        command.Arguments.Add(_name);
        command.Options.Add(_replica);
        command.Options.Add(_coordinator);
        command.Arguments.Add(_program);
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string name = parsed.GetValue(_name)!;
        if (!InstanceName.IsValid(name))
        {
            throw new CommandException(CommandExit.Usage, $"'{name}' is not an instance name: write 1 to 63 letters, digits, '.', '_' or '-', beginning with a letter or digit.");
        }

        int? replica = parsed.GetValue(_replica) ?? (moves ? await Replicas.FreeNumberAsync(places.Store(parsed), name, places.Log(parsed), places.Environment, () => places.OpenCatalog(parsed)) : null);
        if (replica is < 0 or > 99)
        {
            throw new CommandException(CommandExit.Usage, $"--replica-id {replica}: write a number from 0 to 99, another one for each replica.");
        }

        if (replica is { } number && !moves)
        {
            await RequireFreeAsync(parsed, name, number, cancellationToken);
        }

        int? sockets = moves ? places.SocketsToMoveTo(parsed, name, replica) : replica;
        var launch = new Launch
        {
            Instance = name,
            Coordinator = CoordinatorFile.Path(environment),
            Store = places.Store(parsed),
            Catalog = places.Catalog(parsed),
            Cluster = places.Cluster(parsed),
            Socket = places.BindingSocket(parsed, name, sockets),
            Admin = places.OwnAdmin(parsed, name, sockets).ToString(),
            CoordinatorOptions = [.. replica is null ? [] : new[] { "--replica-id", replica.Value.ToString(CultureInfo.InvariantCulture) }, .. parsed.GetValue(_coordinator) ?? []],
            Program = parsed.GetValue(_program)!,
            TakesOver = moves,
        };
        if (!File.Exists(launch.Coordinator))
        {
            throw new CommandException(CommandExit.Failed, $"There is no coordinator at {launch.Coordinator}. Name one by AMBROSIA_COORDINATOR.");
        }

        return await new Pair(launch, terminal, time).RunAsync(cancellationToken);
    }

    // The other one has the number's sockets, too: the app that is started here would knock at its coordinator. Of a store that is a service
    // the coordinator finds out: there a number stays taken for a while after its process has died.
    private async Task RequireFreeAsync(ParseResult parsed, string name, int number, CancellationToken cancellationToken)
    {
        string store = places.Store(parsed);
        if (!LogStores.IsLocal(store))
        {
            return;
        }

        for (long since = time.GetTimestamp();; await Task.Delay(s_look, time, cancellationToken))
        {
            await using ILogStorage storage = LogStores.Open(store, name, places.Log(parsed), places.Environment);
            if (await storage.ReadSideHolderAsync(SideLocks.Replica(number)) is not { } holder)
            {
                return;
            }

            if (time.GetElapsedTime(since) >= s_dyingTime)
            {
                string who = holder.Length > 0 ? NamedProcess.Describe(holder) : "another process";
                throw new CommandException(CommandExit.Refused,
                    $"{LeadershipErrors.ReplicaNumberTaken} replica {number} of {name} runs already: {who} has its number, and was not disturbed. Give this one another "
                    + $"--replica-id, or stop that one. 'ambrosia status {name}' lists the replicas that run.");
            }
        }
    }
}
