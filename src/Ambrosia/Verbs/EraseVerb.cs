using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia erase NAME</c></summary>
internal sealed class EraseVerb(Places places, Terminal terminal, Option<bool> json) : IVerb
{
    private readonly Argument<string> _name = new("name") { Description = "Instance." };
    private readonly Option<bool> _yes = new("--yes") { Description = "Do not ask." };

    public Command Build()
    {
        var command = new Command("erase",
            "Delete an instance for ever: log, checkpoints and catalog entry. It must not be running.\n\nExample: ambrosia "
            + "erase bank --yes") { _name, _yes };
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string name = parsed.GetValue(_name)!;
        string store = places.Store(parsed);
        if (!store.StartsWith("file:", StringComparison.Ordinal))
        {
            throw new CommandException(CommandExit.Usage,
                $"Only instances in file: stores can be erased by this command; {store} is another one.");
        }

        string folder = places.Folder(parsed, InstanceName.Validate(name));
        if (!await places.IsThereAsync(folder))
        {
            throw new CommandException(CommandExit.NotFound, $"There is no instance '{name}' in {store}.");
        }

        Confirm(parsed, name, folder);
        await EraseAsync(store, places.Log(parsed), name, folder);
        await using ICatalog catalog = places.OpenCatalog(parsed);
        await catalog.RemoveAsync(name);
        if (parsed.GetValue(json))
        {
            terminal.Json(new { erased = name, folder });
        }
        else
        {
            terminal.Line($"Erased {name}: {folder} and its catalog entry.");
        }

        return (int)CommandExit.Done;
    }

    private void Confirm(ParseResult parsed, string name, string folder)
    {
        if (!parsed.GetValue(_yes) && terminal.Ask($"This deletes {folder} for ever. Type the instance's name to go on: ") != name)
        {
            throw new CommandException(CommandExit.Refused, "Nothing was erased: the name was not typed. Use --yes in scripts.");
        }
    }

    private async Task EraseAsync(string store, LogStoreOptions options, string name, string folder)
    {
        await using ILogStorage storage = LogStores.Open(store, name, options, places.Environment);
        await using ILogLease lease = await storage.AcquireLeaseAsync(wait: false, CancellationToken.None)
            ?? throw new CommandException(CommandExit.Refused,
                $"{name} is running: somebody holds its lock. Stop it first; nothing was erased.");
        // The lock goes last: until then a coordinator that starts waits for it, and afterwards sees that it was replaced.
        foreach (string child in Directory.GetFileSystemEntries(folder)
            .Where(static path => Path.GetFileName(path) is not ("lock" or "lock.held")))
        {
            if (Directory.Exists(child))
            {
                Directory.Delete(child, recursive: true);
            }
            else
            {
                File.Delete(child);
            }
        }

        Directory.Delete(folder, recursive: true);
    }
}
