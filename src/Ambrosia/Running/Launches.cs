using System.CommandLine;
using System.Globalization;
using Ambrosia.Cli.Commands;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Cli.Running;

/// <summary>Makes launches of what the command line says.</summary>
internal sealed class Launches(Places places, Func<string, string?> environment, TimeProvider time)
{
    private static readonly TimeSpan s_dyingTime = TimeSpan.FromMilliseconds(1500); // One whose owner was killed needs up to 0.8 s to end.
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(50);

    /// <summary>A launch of an instance.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="name">The instance.</param>
    /// <param name="replica">Its number as a replica; null if it has none.</param>
    /// <param name="sockets">The number that its sockets are named by.</param>
    /// <param name="program">The app and its arguments.</param>
    /// <param name="options">Options for the coordinator.</param>
    /// <exception cref="CommandException">There is no coordinator to start.</exception>
    public Launch Of(ParseResult parsed, string name, int? replica, int? sockets, IReadOnlyList<string> program,
        IEnumerable<string> options)
    {
        string[] number = replica is { } known ? ["--replica-id", known.ToString(CultureInfo.InvariantCulture)] : [];
        var launch = new Launch
        {
            Instance = name,
            Label = name,
            Coordinator = CoordinatorFile.Path(environment),
            Store = places.Store(parsed),
            Catalog = places.Catalog(parsed),
            Cluster = places.Cluster(parsed),
            Socket = places.BindingSocket(parsed, name, sockets),
            Admin = places.OwnAdmin(parsed, name, sockets).ToString(),
            CoordinatorOptions = [.. number, .. options],
            Program = program,
        };
        return File.Exists(launch.Coordinator) ? launch
            : throw new CommandException(
                CommandExit.Failed, $"There is no coordinator at {launch.Coordinator}. Name one by AMBROSIA_COORDINATOR.");
    }

    /// <summary>Refuses an instance, or a replica of it, that runs here: the app that is started would knock at its coordinator.</summary>
    /// <exception cref="CommandException">It runs.</exception>
    public Task RequireFreeAsync(ParseResult parsed, string name, int? replica, CancellationToken cancellationToken) =>
        replica is { } number ? RequireNumberAsync(parsed, name, number, cancellationToken)
            : RequireSocketAsync(parsed, name, cancellationToken);

    // Of a store that is a service the coordinator finds out: there a number stays taken for a while after its process has died.
    private async Task RequireNumberAsync(ParseResult parsed, string name, int number, CancellationToken cancellationToken)
    {
        string store = places.Store(parsed);
        if (!LogStores.IsLocal(store))
        {
            return;
        }

        for (long since = time.GetTimestamp();; await Task.Delay(s_look, time, cancellationToken))
        {
            await using ILogStorage storage = LogStores.Open(store, name, places.Log(parsed), places.Environment);
            if (await storage.ReadSideHolderAsync(NamedLeases.Replica(number)) is not { } holder)
            {
                return;
            }

            if (time.GetElapsedTime(since) >= s_dyingTime)
            {
                throw new CommandException(CommandExit.Refused,
                    $"{LeadershipErrors.ReplicaNumberTaken} replica {number} of {name} runs already: {Described(holder)} has its "
                    + $"number, and "
                    + $"was not disturbed. Give this one another --replica-id, or stop that one. 'ambrosia status {name}' lists the "
                    + "replicas that run.");
            }
        }
    }

    private async Task RequireSocketAsync(ParseResult parsed, string name, CancellationToken cancellationToken)
    {
        string socket = places.BindingSocket(parsed, name, null);
        for (long since = time.GetTimestamp(); UnixSocketGuard.IsServed(socket); await Task.Delay(s_look, time, cancellationToken))
        {
            if (time.GetElapsedTime(since) >= s_dyingTime)
            {
                throw new CommandException(CommandExit.Refused,
                    $"{ProcessErrors.SocketInUse} {name} runs already: {await HolderAsync(parsed, name)} serves it at {socket}, "
                    + $"and was not "
                    + $"disturbed. Stop that one, or let the instance go on here: 'ambrosia move {name} -- ...'.");
            }
        }
    }

    private async Task<string> HolderAsync(ParseResult parsed, string name)
    {
        string store = places.Store(parsed);
        if (!LogStores.IsLocal(store))
        {
            return Described("");
        }

        await using ILogStorage storage = LogStores.Open(store, name, places.Log(parsed), places.Environment);
        return Described(await storage.ReadHolderAsync() ?? "");
    }

    private static string Described(string holder) => holder.Length > 0 ? NamedProcess.Describe(holder) : "another process";
}
