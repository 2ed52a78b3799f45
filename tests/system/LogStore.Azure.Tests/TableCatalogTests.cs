using Ambrosia.LogStore.Azure.Tests.Support;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Catalog;
using Azure.Data.Tables;

namespace Ambrosia.LogStore.Azure.Tests;

[Collection("azurite")]
public sealed class TableCatalogTests(Azurite azurite) : CatalogConformance
{
    private readonly string _uri = azurite.NewTableUri();

    protected override ICatalog Open() => Catalogs.Open(_uri, AzureWorld.Environment());

    [Fact]
    public async Task An_entry_that_somebody_changed_by_hand_is_named_as_damaged()
    {
        await using ICatalog catalog = Open();
        await catalog.PutAsync(Entry("bank"), null);
        TableClient table = Table();
        TableEntity entity = await table.GetEntityAsync<TableEntity>(TableCatalog.Partition, "bank");
        entity[TableCatalog.Text] = entity.GetString(TableCatalog.Text).Replace("10.0.0.1", "10.0.0.2", StringComparison.Ordinal);
        await table.UpdateEntityAsync(entity, entity.ETag, TableUpdateMode.Replace);
        Assert.Equal("IC-2050", (await Assert.ThrowsAsync<LogStoreException>(async () => await catalog.GetAsync("bank"))).Code);
    }

    [Fact]
    public async Task An_entity_without_the_text_is_damaged_too_and_the_next_put_heals_it()
    {
        await using ICatalog catalog = Open();
        await catalog.PutAsync(Entry("bank"), null);
        await Table().UpsertEntityAsync(new TableEntity(TableCatalog.Partition, "bank") { ["Other"] = 1 }, TableUpdateMode.Replace);
        Assert.Equal("IC-2050", (await Assert.ThrowsAsync<LogStoreException>(async () => await catalog.GetAsync("bank"))).Code);
        Assert.Equal("IC-2050", (await Assert.ThrowsAsync<LogStoreException>(async () => await catalog.ListAsync())).Code);
        var damaged = new List<LogStoreException>();
        Assert.Empty(await catalog.ListAsync(damaged));
        Assert.Equal("IC-2050", Assert.Single(damaged).Code);
        string? version = await catalog.PutAsync(Entry("bank"), null);
        Assert.Equal(version, (await catalog.GetAsync("bank"))!.Version);
        Assert.Null(await catalog.PutAsync(Entry("bank", "other"), null));
    }

    [Fact]
    public async Task Entities_of_other_partitions_are_none_of_ours()
    {
        await using ICatalog catalog = Open();
        await catalog.PutAsync(Entry("bank"), null);
        await Table().AddEntityAsync(new TableEntity("other", "zoo"));
        Assert.Equal(["bank"], (await catalog.ListAsync()).Select(static row => row.Entry.Instance));
        Assert.Null(await catalog.GetAsync("zoo"));
    }

    [Fact]
    public async Task A_list_longer_than_one_answer_is_whole()
    {
        await using ICatalog catalog = Open();
        string[] names = [.. Enumerable.Range(0, 1010).Select(static i => $"n{i:D4}")]; // The service answers with 1,000 at most.
        await Parallel.ForEachAsync(names, async (name, _) => await catalog.PutAsync(Entry(name), null));
        Assert.Equal(names, (await catalog.ListAsync()).Select(static row => row.Entry.Instance));
    }

    [Fact]
    public void A_table_is_no_store()
    {
        var refused = Assert.Throws<LogStoreException>(() => LogStores.Open(_uri, "bank", new LogStoreOptions(), AzureWorld.Environment()));
        Assert.Equal("IC-2040", refused.Code);
        Assert.Contains("azblob://", refused.Message, StringComparison.Ordinal);
    }

    private TableClient Table()
    {
        var secret = new StoreSecret(AzureWorld.WithKey);
        return new AzureAccount(AzureAddress.Parse(_uri, "aztable"), secret, TimeSpan.FromSeconds(15), AzureWorld.Environment())
            .OpenTable();
    }
}
