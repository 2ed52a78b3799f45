using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Inspection.Text;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.TimeTravel;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.Cli.History;

/// <summary>Which log is looked at, and where the names of its methods come from: shared by all verbs that look back.</summary>
internal sealed class LogOptions(Places places)
{
    private readonly Argument<string> _instance = new("instance") { Description = "Instance whose log it is." };
    private readonly Option<string> _log = new("--log")
        { Description = "Folder of the log, the one with log/ and checkpoints/: a copy or a backup. Default: the instance's in the store.",
            HelpName = "FOLDER" };
    private readonly Option<string[]> _assemblies = new("--app")
        { Description = "Assembly of the app, or a folder of them, for names of methods and arguments.", HelpName = "PATH" };
    private readonly Option<string[]> _contracts = new("--contract")
    {
        Description = "Contract file, for names of methods. ImmortalContracts.txt in this folder, or beside the log, is read anyway.",
        HelpName = "FILE",
    };

    /// <summary>Puts them on a command.</summary>
    public void AddTo(Command command)
    {
        command.Arguments.Add(_instance);
        command.Options.Add(_log);
        command.Options.Add(_assemblies);
        command.Options.Add(_contracts);
    }

    /// <summary>Opens the log; nothing is written there. For a journey what there is now is held.</summary>
    public async Task<ReplayLog> OpenAsync(ParseResult parsed, bool holds = false)
    {
        string instance = parsed.GetValue(_instance)!;
        try
        {
            return parsed.GetValue(_log) is { Length: > 0 } folder
                ? await ReplayLog.OpenFolderAsync(folder, places.Environment, holds)
                : await OpenInStoreAsync(parsed, instance, holds);
        }
        catch (ReplayException none)
        {
            throw new CommandException(CommandExit.NotFound, none.Message);
        }
    }

    /// <summary>The folder that was named instead of the instance's own; null when none was.</summary>
    public string? Folder(ParseResult parsed) => parsed.GetValue(_log) is { Length: > 0 } folder ? Path.GetFullPath(folder) : null;

    /// <summary>The instance.</summary>
    public string Instance(ParseResult parsed) => parsed.GetValue(_instance)!;

    /// <summary>All names that can be found.</summary>
    public async Task<MethodNames> NamesAsync(ParseResult parsed, IReadOnlyList<string>? command = null)
    {
        var names = new MethodNames();
        foreach (string contract in parsed.GetValue(_contracts) ?? [])
        {
            names.AddContract(contract);
        }

        names.AddContractIn(".");
        names.AddContractsOf(Folder(parsed) ?? FolderInStore(parsed));
        names.AddContracts(await ContractsInServiceAsync(parsed));

        foreach (string path in parsed.GetValue(_assemblies) ?? [])
        {
            names.AddAssemblies(path);
        }

        names.AddCommand(command ?? []);
        return names;
    }

    private string? FolderInStore(ParseResult parsed) =>
        InstanceName.IsValid(Instance(parsed)) && places.Store(parsed).StartsWith("file:", StringComparison.Ordinal)
            ? places.Folder(parsed, Instance(parsed))
            : null;

    // A store that does not answer, or is not there, is told by whatever opens the log.
    private async Task<IReadOnlyList<string>> ContractsInServiceAsync(ParseResult parsed)
    {
        string store = places.Store(parsed);
        if (Folder(parsed) is not null || !InstanceName.IsValid(Instance(parsed)) || LogStores.IsLocal(store))
        {
            return [];
        }

        try
        {
            await using WriteAheadLog view = await LogView.OpenAsync(store, Instance(parsed), places.Log(parsed), places.Environment);
            return await view.ReadContractsAsync();
        }
        catch (LogStoreException)
        {
            return [];
        }
    }

    // A file: store is opened by folder, which takes instance and cluster from the log itself: looking back must not fail over a forgotten
    // --cluster.
    private async Task<ReplayLog> OpenInStoreAsync(ParseResult parsed, string instance, bool holds)
    {
        string store = places.Store(parsed);
        if (!InstanceName.IsValid(instance))
        {
            throw new CommandException(CommandExit.Usage, $"'{instance}' is not an instance name. A folder is named with --log.");
        }

        if (store.StartsWith("file:", StringComparison.Ordinal))
        {
            string folder = places.Folder(parsed, instance);
            return await places.IsThereAsync(folder)
                ? await ReplayLog.OpenFolderAsync(folder, places.Environment, holds)
                : throw new CommandException(CommandExit.NotFound, $"There is no instance '{instance}' in {store}.");
        }

        return await ReplayLog.OpenAsync(store, instance, places.Log(parsed), places.Environment, holds);
    }
}
