using Ambrosia.LogStore.Catalog;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests.Catalog;

/// <summary>What every catalog owes.</summary>
public abstract class CatalogConformance
{
    protected abstract ICatalog Open();

    protected static CatalogEntry Entry(string instance, string address = "10.0.0.1:4100") => new()
    {
        Instance = instance,
        AppVersion = "1.2",
        PeerAddress = address,
        IngressAddress = "http://10.0.0.1:8080",
        Epoch = 3,
        InstanceId = new InstanceId(1, 2).ToString(),
        Generation = 1,
        Replicas = [new CatalogReplica { Number = 0, Address = address, Role = "primary" }],
    };

    [Fact]
    public async Task An_entry_is_found_as_it_was_put_by_each_process_that_opens_the_catalog()
    {
        await using ICatalog first = Open();
        Assert.Null(await first.GetAsync("bank"));
        string? version = await first.PutAsync(Entry("bank"), null);
        Assert.NotNull(version);
        await using ICatalog second = Open();
        CatalogRow row = (await second.GetAsync("bank"))!;
        Assert.Equal(version, row.Version);
        Assert.Equal(Entry("bank") with { Replicas = [] }, row.Entry with { Replicas = [] });
        Assert.Equal(Entry("bank").Replicas, row.Entry.Replicas);
    }

    [Fact]
    public async Task A_put_on_an_outdated_version_changes_nothing()
    {
        await using ICatalog catalog = Open();
        string? first = await catalog.PutAsync(Entry("bank"), null);
        Assert.Null(await catalog.PutAsync(Entry("bank", "other"), null));
        string? second = await catalog.PutAsync(Entry("bank", "new"), first);
        Assert.NotNull(second);
        Assert.Null(await catalog.PutAsync(Entry("bank", "late"), first));
        Assert.Equal("new", (await catalog.GetAsync("bank"))!.Entry.PeerAddress);
    }

    [Fact]
    public async Task Entries_are_listed_by_name_and_removed()
    {
        await using ICatalog catalog = Open();
        Assert.Empty(await catalog.ListAsync());
        Assert.False(await catalog.RemoveAsync("bank"));
        await catalog.PutAsync(Entry("zoo"), null);
        string? version = await catalog.PutAsync(Entry("bank"), null);
        Assert.Equal(["bank", "zoo"], (await catalog.ListAsync()).Select(row => row.Entry.Instance));
        Assert.False(await catalog.RemoveAsync("bank", "999"));
        Assert.True(await catalog.RemoveAsync("bank", version));
        Assert.Equal(["zoo"], (await catalog.ListAsync()).Select(row => row.Entry.Instance));
        Assert.Null(await catalog.GetAsync("bank"));
    }

    [Fact]
    public async Task Of_concurrent_puts_on_one_version_exactly_one_wins()
    {
        await using ICatalog catalog = Open();
        string? version = await catalog.PutAsync(Entry("bank"), null);
        string?[] results = await Task.WhenAll(Enumerable.Range(0, 8).Select(i => Task.Run(async () =>
        {
            await using ICatalog own = Open();
            return await own.PutAsync(Entry("bank", $"host{i}"), version);
        })));
        Assert.Single(results, result => result is not null);
    }
}
