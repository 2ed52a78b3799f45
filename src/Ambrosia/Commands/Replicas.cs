using System.Globalization;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Cli.Commands;

/// <summary>
/// What the locks beside an instance's log say of its replicas. Which numbers there are the files say; for a store that is a service, the
/// catalog.
/// </summary>
internal static class Replicas
{
    private const string FilePrefix = "replica.";
    private const string Primary = "primary";

    /// <summary>
    /// Number of the replica that serves; of a store that is a service, of the one that was the last to. Null when there are no replicas,
    /// or none serves.
    /// </summary>
    public static async Task<int?> ActingAsync(string store, string instance, LogStoreOptions options, LogStoreEnvironment environment,
        Func<ICatalog> openCatalog)
    {
        if (LogStores.IsLocal(store))
        {
            await using ILogStorage storage = LogStores.Open(store, instance, options, environment);
            string? holder = await storage.ReadHolderAsync();
            foreach (int number in holder is null ? [] : NumbersIn(storage.Location))
            {
                if (await storage.ReadSideHolderAsync(NamedLeases.Replica(number)) == holder)
                {
                    return number;
                }
            }

            return null;
        }

        await using ICatalog catalog = openCatalog();
        return (await catalog.GetAsync(instance))?.Entry.Replicas.FirstOrDefault(static replica => replica.IsPrimary)?.Number;
    }

    /// <summary>All that run, with their processes and roles, by number.</summary>
    /// <param name="log">The log.</param>
    /// <param name="store">Where it lies.</param>
    /// <param name="entry">What the catalog says, if anything.</param>
    /// <param name="primary">The process that holds the log, as it named itself; null when none does.</param>
    public static async Task<IReadOnlyList<ReplicaFacts>> ReadAsync(WriteAheadLog log, string store, CatalogEntry? entry, string? primary)
    {
        int[] numbers = LogStores.IsLocal(store) ? [.. NumbersIn(log.Location)] : entry is null ? []
            : [.. entry.Replicas.Select(static replica => replica.Number).Order()];
        string? checkpointer = numbers.Length == 0 ? null : await log.ReadSideHolderAsync(NamedLeases.Checkpointer);
        var found = new List<ReplicaFacts>();
        foreach (int number in numbers)
        {
            if (await log.ReadSideHolderAsync(NamedLeases.Replica(number)) is { } process)
            {
                found.Add(new ReplicaFacts(number, process == primary ? Primary : process == checkpointer ? "checkpointer"
                    : "secondary", Holder.ProcessOf(process)));
            }
        }

        return found;
    }

    /// <summary>The smallest number that no running replica has; null when the primary has none either, or there is none.</summary>
    public static async Task<int?> FreeNumberAsync(string store, string instance, LogStoreOptions options, LogStoreEnvironment environment,
        Func<ICatalog> openCatalog)
    {
        if (await ActingAsync(store, instance, options, environment, openCatalog) is not { } acting)
        {
            return null;
        }

        await using WriteAheadLog log = await LogView.OpenAsync(store, instance, options, environment);
        bool serves = await log.IsNamedLeaseHeldAsync(NamedLeases.Replica(acting));
        int number = 0;
        while (serves && await log.IsNamedLeaseHeldAsync(NamedLeases.Replica(number)))
        {
            number++;
        }

        return serves ? number : null;
    }

    private static IEnumerable<int> NumbersIn(string folder) =>
        !Directory.Exists(folder) ? [] : Directory.EnumerateFiles(folder, FilePrefix + "*")
        .Select(static path => int.TryParse(Path.GetFileName(path)[FilePrefix.Length..], NumberStyles.None, CultureInfo.InvariantCulture,
            out int number) ? number : -1)
        .Where(static number => number >= 0)
        .Order();
}
