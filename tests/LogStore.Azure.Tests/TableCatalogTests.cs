using Ambrosia.LogStore.Azure.Tests.Support;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Catalog;

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
        (string entry, string mark) = (await table.GetAsync("bank"))!.Value;
        Assert.True(await table.ReplaceAsync("bank", entry.Replace("10.0.0.1", "10.0.0.2", StringComparison.Ordinal), mark));
        Assert.Equal("IC-2050", (await Assert.ThrowsAsync<LogStoreException>(async () => await catalog.GetAsync("bank"))).Code);
    }

    [Fact]
    public async Task Whoever_saw_an_older_entry_replaces_nothing()
    {
        await using ICatalog catalog = Open();
        await catalog.PutAsync(Entry("bank"), null);
        TableClient table = Table();
        (string entry, string mark) = (await table.GetAsync("bank"))!.Value;
        Assert.True(await table.ReplaceAsync("bank", entry, mark)); // The same text under another mark.
        Assert.False(await table.ReplaceAsync("bank", entry, mark));
        Assert.False(await table.RemoveAsync("bank", mark));
        Assert.False(await table.InsertAsync("bank", entry));
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

    private TableClient Table() => new(new AzureAccount(AzureAddress.Parse(_uri, "aztable"), new Leases.StoreSecret(AzureWorld.WithKey), TimeSpan.FromSeconds(15), AzureWorld.Environment()), TimeProvider.System);
}
