using Ambrosia.ImmortalCoordinator.Failpoints;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Core;

/// <summary>
/// Tells the catalog where the instance lives. The catalog is a cache: an instance serves without it, and goes on trying to
/// write its entry (RELIABILITY b40).
/// </summary>
internal sealed class Registration(ICatalog catalog, WriteAheadLog log, string address, ILogger logger)
{
    /// <summary>One attempt; false, and a warning, if the catalog could not be read or written.</summary>
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
    public async Task RetryAsync(TimeSpan interval, TimeProvider time, CancellationToken stopping)
    {
        do
        {
            await Task.Delay(interval, time, stopping);
        }
        while (!await TryAsync());
    }

    private async ValueTask<bool> PutAsync()
    {
        CatalogRow? present = await catalog.GetAsync(log.Instance);
        string id = log.InstanceId.ToString();
        ulong generation = present is null ? 1 : present.Entry.InstanceId == id ? present.Entry.Generation : present.Entry.Generation + 1;
        CatalogEntry entry = (present?.Entry ?? new CatalogEntry { Instance = log.Instance }) with
        {
            PeerAddress = address,
            Epoch = log.Epoch.Value,
            InstanceId = id,
            Generation = generation,
        };
        Failpoint.Pass("K25");
        bool written = await catalog.PutAsync(entry, present?.Version) is not null;
        Failpoint.Pass("K25");
        return written;
    }
}
