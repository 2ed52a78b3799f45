using System.Globalization;
using System.Text;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files;

namespace Ambrosia.Cli.Verbs;

/// <summary>What can be said of an instance without asking it.</summary>
internal sealed record InstanceFacts
{
    public required string Instance { get; init; }

    /// <summary>running, stopped, or absent: no log in this store.</summary>
    public required string State { get; init; }

    /// <summary>Process that holds the log; 0 when none does.</summary>
    public int ProcessId { get; init; }

    public string InstanceId { get; init; } = "";

    public ulong Epoch { get; init; }

    public string PeerAddress { get; init; } = "";

    public int Segments { get; init; }

    public ulong OldestLsn { get; init; }

    public ulong CheckpointLsn { get; init; }

    public int Checkpoints { get; init; }

    public string Location { get; init; } = "";

    /// <summary>Looks at store and catalog; writes nothing.</summary>
    public static async Task<InstanceFacts> ReadAsync(string instance, string store, LogStoreOptions options, ICatalog catalog, LogStoreEnvironment environment)
    {
        CatalogEntry? entry = (await catalog.GetAsync(instance))?.Entry;
        await using WriteAheadLog log = await WriteAheadLog.OpenAsync(store, instance, options, environment);
        int? holder = log.Exists ? await HolderAsync(environment.Files, Path.Combine(log.Location, "lock")) : null;
        return new InstanceFacts
        {
            Instance = instance,
            State = !log.Exists ? "absent" : holder is null ? "stopped" : "running",
            ProcessId = holder ?? 0,
            InstanceId = log.Exists ? log.InstanceId.ToString() : entry?.InstanceId ?? "",
            Epoch = log.Exists ? log.Epoch.Value : entry?.Epoch ?? 0,
            PeerAddress = entry?.PeerAddress ?? "",
            Segments = log.Segments.Count,
            OldestLsn = log.Exists ? log.OldestLsn.Value : 0,
            CheckpointLsn = log.Checkpoints is [var newest, ..] ? newest.Lsn.Value : 0,
            Checkpoints = log.Checkpoints.Count,
            Location = log.Location,
        };
    }

    /// <summary>
    /// The process that holds the lock: null when nobody does, 0 when it cannot be told which. The lock is tried for an instant; a coordinator that
    /// starts in that instant waits for it and gets it. (.NET's own file streams take locks too and would fail here.)
    /// </summary>
    private static async Task<int?> HolderAsync(IFileSystem files, string path)
    {
        if (await files.StatAsync(path) is null)
        {
            return null;
        }

        await using IFile file = await files.OpenAsync(path, FileOpening.Read);
        if (await file.TryLockAsync())
        {
            return null;
        }

        byte[] text = new byte[100];
        int length = await file.ReadAsync(text, 0);
        string[] words = Encoding.UTF8.GetString(text, 0, length).Split([' ', '\n'], StringSplitOptions.RemoveEmptyEntries);
        return words is ["pid", var id, ..] && int.TryParse(id, NumberStyles.None, CultureInfo.InvariantCulture, out int process) ? process : 0;
    }
}
