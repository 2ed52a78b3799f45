using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.Simulation.Tests;

/// <summary>A catalog in a service, as one process reaches it: an answer says what was true when the question arrived, and may arrive much
/// later, or never.</summary>
internal sealed class LateCatalog(ICatalog inner, RemadePlan plan, SimReport report, TimeProvider time) : ICatalog
{
    public ValueTask<CatalogRow?> GetAsync(string instance) => RequestAsync(() => inner.GetAsync(instance));

    public ValueTask<string?> PutAsync(CatalogEntry entry, string? expectedVersion) =>
        RequestAsync(() => inner.PutAsync(entry, expectedVersion));

    public ValueTask<bool> RemoveAsync(string instance, string? expectedVersion = null) =>
        RequestAsync(() => inner.RemoveAsync(instance, expectedVersion));

    public ValueTask<IReadOnlyList<CatalogRow>> ListAsync(ICollection<LogStoreException>? damaged = null) =>
        RequestAsync(() => inner.ListAsync(damaged));

    public ValueTask DisposeAsync() => inner.DisposeAsync();

    private async ValueTask<T> RequestAsync<T>(Func<ValueTask<T>> request)
    {
        await PauseAsync();
        await FailAsync();
        T answer = await request();
        if (await PauseAsync())
        {
            report.Sometimes(Sighting.CatalogLate);
        }

        await FailAsync();
        return answer;
    }

    private async ValueTask<bool> PauseAsync()
    {
        if (plan.Healed || plan.Random.Next(plan.LateOneIn) != 0)
        {
            return false;
        }

        await Task.Delay(plan.Longest * Math.Pow(plan.Random.NextDouble(), 2), time);
        return true;
    }

    private async ValueTask FailAsync()
    {
        if (!plan.Healed && plan.FailsOneIn > 0 && plan.Random.Next(plan.FailsOneIn) == 0)
        {
            report.Sometimes(Sighting.CatalogFailed);
            await Task.Yield();
            throw new IOException("the catalog does not answer");
        }
    }
}
