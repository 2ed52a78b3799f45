using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Postgres.Tests.Support;
using Ambrosia.LogStore.Tests.Catalog;

namespace Ambrosia.LogStore.Postgres.Tests;

[Collection("server")]
public sealed class PostgresCatalogTests(PostgresServer server) : CatalogConformance
{
    private readonly string _uri = server.NewUri();

    protected override ICatalog Open() => Catalogs.Open(_uri, PostgresWorld.Environment());

    [Fact]
    public async Task An_entry_that_somebody_changed_by_hand_is_named_as_damaged()
    {
        await using ICatalog catalog = Open();
        await catalog.PutAsync(Entry("bank"), null);
        string schema = _uri.Split('=')[1];
        await server.ScalarAsync($"update {schema}.catalog set entry = replace(entry, '10.0.0.1', '10.0.0.2')");
        var damaged = await Assert.ThrowsAsync<LogStoreException>(async () => await catalog.GetAsync("bank"));
        Assert.Equal("IC-2050", damaged.Code);
    }
}
