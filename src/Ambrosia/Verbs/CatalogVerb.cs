using System.CommandLine;
using System.Globalization;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia catalog list|show|remove</c></summary>
internal sealed class CatalogVerb(Places places, Terminal terminal, Option<bool> json) : IVerb
{
    private readonly Argument<string> _name = new("name") { Description = "Instance." };

    public Command Build()
    {
        var list = new Command("list", "List all entries.\n\nExample: ambrosia catalog list --json");
        list.SetAction(ListAsync);
        var show = new Command("show", "Show one entry.\n\nExample: ambrosia catalog show bank") { _name };
        show.SetAction(ShowAsync);
        var remove = new Command("remove",
            "Remove an entry. The instance writes it again when it starts; its log is not touched.\n\nExample: ambrosia "
            + "catalog remove bank") { _name };
        remove.SetAction(RemoveAsync);
        return new Command("catalog", "Which instances exist, and where.") { list, show, remove };
    }

    private async Task<int> ListAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        await using ICatalog catalog = places.OpenCatalog(parsed);
        var damaged = new List<LogStoreException>();
        IReadOnlyList<CatalogRow> rows = await catalog.ListAsync(damaged);
        if (parsed.GetValue(json))
        {
            terminal.Json(rows.Select(static row => row.Entry));
        }
        else if (rows.Count == 0)
        {
            terminal.Line($"No entries in {places.Catalog(parsed)}.");
        }
        else
        {
            terminal.Table(
                ["INSTANCE", "EPOCH", "ADDRESS", "CALLS FROM OUTSIDE", "IDENTITY"],
                [.. rows.Select(static row => new[] { row.Entry.Instance, row.Entry.Epoch.ToString(CultureInfo.InvariantCulture),
                    row.Entry.PeerAddress, row.Entry.IngressAddress, row.Entry.InstanceId })]);
        }

        damaged.ForEach(failure => terminal.Error(failure.Message));
        return (int)(damaged.Count > 0 ? CommandExit.Different : CommandExit.Done);
    }

    private async Task<int> ShowAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        await using ICatalog catalog = places.OpenCatalog(parsed);
        CatalogEntry entry = (await catalog.GetAsync(parsed.GetValue(_name)!))?.Entry ?? throw NotThere(parsed);
        if (parsed.GetValue(json))
        {
            terminal.Json(entry);
            return (int)CommandExit.Done;
        }

        terminal.Table(["WHAT", "VALUE"],
        [
            ["instance", entry.Instance],
            ["identity", entry.InstanceId],
            ["epoch", entry.Epoch.ToString(CultureInfo.InvariantCulture)],
            ["generation", entry.Generation.ToString(CultureInfo.InvariantCulture)],
            ["address", entry.PeerAddress],
            ["calls from outside", entry.IngressAddress],
            ["app version", entry.AppVersion],
            .. entry.Replicas.Select(static replica => new[] { string.Create(CultureInfo.InvariantCulture, $"replica {replica.Number}"),
                $"{replica.Role} {replica.Address}".TrimEnd() }),
        ]);
        return (int)CommandExit.Done;
    }

    private async Task<int> RemoveAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        await using ICatalog catalog = places.OpenCatalog(parsed);
        string name = parsed.GetValue(_name)!;
        if (!await catalog.RemoveAsync(name))
        {
            throw NotThere(parsed);
        }

        if (parsed.GetValue(json))
        {
            terminal.Json(new { removed = name });
        }
        else
        {
            terminal.Line($"Removed the catalog's entry of {name}. Its log is untouched.");
        }

        return (int)CommandExit.Done;
    }

    private CommandException NotThere(ParseResult parsed) =>
        new(CommandExit.NotFound, $"There is no entry '{parsed.GetValue(_name)}' in {places.Catalog(parsed)}.");
}
