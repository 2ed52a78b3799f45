using System.Text.Json.Serialization;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Cli.Commands;

/// <summary>What can be said of an instance without asking it.</summary>
internal sealed record InstanceFacts
{
    /// <summary>The state of one whose log is damaged.</summary>
    public const string Damaged = "damaged";

    public required string Instance { get; init; }

    /// <summary>
    /// running, also before anything is logged; stopped; absent: no log in this store; or damaged or unreadable: <see cref="Trouble"/>.
    /// </summary>
    public required string State { get; init; }

    /// <summary>Whether neither store nor catalog knows it.</summary>
    [JsonIgnore]
    public bool IsUnknown => this is { State: "absent", InstanceId: "" };

    /// <summary>Process that holds the log; 0 when none does.</summary>
    public int ProcessId { get; init; }

    /// <summary>Replicas that run; empty when there is only one coordinator.</summary>
    public IReadOnlyList<ReplicaFacts> Replicas { get; init; } = [];

    public string InstanceId { get; init; } = "";

    public ulong Epoch { get; init; }

    public string PeerAddress { get; init; } = "";

    public int Segments { get; init; }

    public ulong OldestLsn { get; init; }

    public ulong CheckpointLsn { get; init; }

    public int Checkpoints { get; init; }

    public string Location { get; init; } = "";

    /// <summary>Why nothing of its log can be told; empty when there is nothing like that.</summary>
    public string Trouble { get; init; } = "";

    /// <summary>Looks at store and catalog; what is wrong with the log of one is told, and ends nothing.</summary>
    public static async Task<InstanceFacts> TryReadAsync(
        string instance, string store, LogStoreOptions options, ICatalog catalog, LogStoreEnvironment environment)
    {
        try
        {
            return await ReadAsync(instance, store, options, catalog, environment);
        }
        catch (IOException error)
        {
            CatalogEntry? entry = (await catalog.GetAsync(instance))?.Entry;
            return new InstanceFacts
            {
                Instance = instance,
                State = error is LogStoreException told && Damage.Is(told) ? Damaged : "unreadable",
                InstanceId = entry?.InstanceId ?? "",
                Epoch = entry?.Epoch ?? 0,
                PeerAddress = entry?.PeerAddress ?? "",
                Trouble = error.Message,
            };
        }
    }

    /// <summary>Looks at store and catalog; writes nothing.</summary>
    public static async Task<InstanceFacts> ReadAsync(string instance, string store, LogStoreOptions options, ICatalog catalog,
        LogStoreEnvironment environment)
    {
        CatalogEntry? entry = (await catalog.GetAsync(instance))?.Entry;
        await using WriteAheadLog log = await LogStores.OpenLogAsync(store, instance, options, environment);
        // What is there counts, and not what the manifest names: a start takes a checkpoint without its manifest, too.
        IReadOnlyList<Lsn> checkpoints = log.Exists ? await log.ListCheckpointsAsync() : [];
        // Before its first app comes a coordinator holds a log that does not exist yet.
        string? holder = await log.IsHeldAsync() ? await log.ReadHolderAsync() ?? "" : null;
        return new InstanceFacts
        {
            Instance = instance,
            State = holder is not null ? "running" : log.Exists ? "stopped" : "absent",
            ProcessId = Holder.ProcessOf(holder),
            Replicas = log.Exists ? await Cli.Commands.Replicas.ReadAsync(log, store, entry, holder) : [],
            InstanceId = log.Exists ? log.InstanceId.ToString() : entry?.InstanceId ?? "",
            Epoch = log.Exists ? log.Epoch.Value : entry?.Epoch ?? 0,
            PeerAddress = entry?.PeerAddress ?? "",
            Segments = log.Segments.Count,
            OldestLsn = log.Exists ? log.OldestLsn.Value : 0,
            CheckpointLsn = checkpoints is [var newest, ..] ? newest.Value : 0,
            Checkpoints = checkpoints.Count,
            Location = log.Location,
        };
    }
}
