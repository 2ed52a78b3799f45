using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Storage;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Links;

/// <summary>
/// Tells the catalog where the instance lives. The catalog is a cache: an instance serves without it, and goes on trying to
/// write its entry.
/// </summary>
internal sealed class Registration(
    ICatalog catalog, WriteAheadLog log, ILogLease lease, string address, string ingress, int? replica, ILogger logger)
{
    private ulong _named;
    private ulong? _found;

    /// <summary>The replicas as a newcomer finds them: itself in its role, nobody else as the primary if it is that.</summary>
    public static IReadOnlyList<CatalogReplica> With(IReadOnlyList<CatalogReplica> present, int replica, string address, bool acts) =>
    [
        .. present.Where(other => other.Number != replica)
        .Select(other => acts && other.IsPrimary ? other with { Role = CatalogReplica.Secondary, Address = "" } : other)
            .Append(new CatalogReplica
            {
                Number = replica, Address = address, Role = acts ? CatalogReplica.Primary : CatalogReplica.Secondary,
            })
            .OrderBy(static other => other.Number),
    ];

    /// <summary>
    /// Adds a secondary to the entry, or removes one that ends in order. Only people look there: no failure of the catalog matters. False
    /// when there is no entry yet: a secondary may follow the first records before the primary writes it. False also when the entry has
    /// changed meanwhile: a secondary that adds itself may be the primary by then.
    /// </summary>
    public static async ValueTask<bool> NoteSecondaryAsync(ICatalog catalog, string instance, int replica, bool lives, ILogger logger)
    {
        try
        {
            while (await catalog.GetAsync(instance) is { } present)
            {
                IReadOnlyList<CatalogReplica> replicas = lives
                    ? With(present.Entry.Replicas, replica, "", acts: false)
                    : [.. present.Entry.Replicas.Where(other => other.Number != replica)];
                if (await catalog.PutAsync(present.Entry with { Replicas = replicas }, present.Version) is not null)
                {
                    return true;
                }

                if (lives)
                {
                    break;
                }
            }

            return false;
        }
        catch (IOException error)
        {
            CoreLog.CatalogFailed(logger, instance, error.Message);
            return true;
        }
    }

    /// <summary>
    /// The highest epoch that the catalog has named for this identity, if that is above the own one: this log has a successor, or is an
    /// older copy. Null also when it cannot be read.
    /// </summary>
    public async ValueTask<ulong?> FindSuccessorAsync()
    {
        try
        {
            Note((await catalog.GetAsync(log.Instance))?.Entry);
        }
        catch (IOException error)
        {
            CoreLog.CatalogFailed(logger, log.Instance, error.Message);
        }

        return _named > log.Epoch.Value ? _named : null;
    }

    /// <summary>
    /// Whether the catalog knows of another life of this identity in the same epoch or a later one: then this log is an older copy, or has
    /// a
    /// successor. False also when it cannot be read.
    /// </summary>
    public async ValueTask<bool> HasOtherLifeAsync() => await FindSuccessorAsync() is not null || _found >= log.Epoch.Value;

    /// <summary>One attempt; false, and a warning, if the catalog could not be read or written.</summary>
    /// <exception cref="CoordinatorException">The catalog names a successor, and the lease cannot be proved.</exception>
    public async ValueTask<bool> TryAsync()
    {
        try
        {
            while (!await PutAsync())
            {
                // Somebody else wrote the entry between our read and our write: decide anew.
            }

            return true;
        }
        catch (IOException error)
        {
            CoreLog.CatalogFailed(logger, log.Instance, error.Message);
            return false;
        }
    }

    /// <summary>Tries until it succeeds.</summary>
    /// <exception cref="CoordinatorException">The catalog names a successor, and the lease cannot be proved.</exception>
    public async Task RetryAsync(TimeSpan interval, TimeProvider time, CancellationToken stopping)
    {
        do
        {
            await Task.Delay(interval, time, stopping);
        }
        while (!await TryAsync());
    }

    private void Note(CatalogEntry? entry)
    {
        if (entry is not null && entry.InstanceId == log.InstanceId.ToString())
        {
            _named = Math.Max(_named, entry.Epoch);
        }
    }

    private async ValueTask<bool> PutAsync()
    {
        CatalogRow? present = await ReadAsync();
        Note(present?.Entry);
        string id = log.InstanceId.ToString();
        // Before the first attempt to write, for what is found later in the own epoch may be our own.
        _found ??= present?.Entry.InstanceId == id ? present.Entry.Epoch : 0;
        await RequireMayReplaceAsync(present?.Entry);
        ulong generation = present is null ? 1 : present.Entry.InstanceId == id ? present.Entry.Generation : present.Entry.Generation + 1;
        CatalogEntry entry = (present?.Entry ?? new CatalogEntry { Instance = log.Instance }) with
        {
            PeerAddress = address,
            IngressAddress = ingress,
            Epoch = log.Epoch.Value,
            InstanceId = id,
            Generation = generation,
            Replicas = replica is { } number ? With(present?.Entry.Replicas ?? [], number, address, acts: true) : [],
        };
        Failpoint.Pass("K25");
        bool written = await catalog.PutAsync(entry, present?.Version) is not null;
        Failpoint.Pass("K25");
        if (written && present is { Entry.InstanceId: { Length: > 0 } other } && other != id)
        {
            CoreLog.OtherLog(logger, log.Instance, other, id, log.Location);
        }

        return written;
    }

    /// <summary>
    /// The entry as it is. One that is damaged counts as none, or nobody would find the instance until a person has removed it; whose it
    /// was nobody can tell, so that the lease is proved first.
    /// </summary>
    private async ValueTask<CatalogRow?> ReadAsync()
    {
        try
        {
            return await catalog.GetAsync(log.Instance);
        }
        catch (LogStoreException damaged) when (damaged.Error == StoreErrors.CatalogEntryDamaged)
        {
            await RequireLeaseAsync(lease.ProveAfreshAsync, $"the catalog's entry of {log.Instance} is damaged");
            return null;
        }
    }

    /// <summary>
    /// A primary that was stopped past its lease must not overwrite its successor's entry: the successor writes it once, and peers dial
    /// what it says. A primary that can prove its lease has no successor: its log was restored from a copy, or the entry is a leftover.
    /// </summary>
    private async ValueTask RequireMayReplaceAsync(CatalogEntry? present)
    {
        if (present is not { InstanceId.Length: > 0 })
        {
            return;
        }

        if (present.InstanceId != log.InstanceId.ToString())
        {
            await RequireLeaseAsync(lease.VerifyAsync, $"the catalog has named another identity of {log.Instance}");
        }
        else if (present.Epoch > log.Epoch.Value)
        {
            await RequireLeaseAsync(lease.ProveAfreshAsync, $"the catalog has named epoch {present.Epoch}");
        }
    }

    private static async ValueTask RequireLeaseAsync(Func<ValueTask> prove, string otherwise)
    {
        try
        {
            await prove();
        }
        catch (IOException)
        {
            throw CoreFailures.Fenced(otherwise);
        }
    }
}
