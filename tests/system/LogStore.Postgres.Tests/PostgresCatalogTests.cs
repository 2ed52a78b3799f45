using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Postgres.Tests.Support;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Catalog;
using Ambrosia.Services;

namespace Ambrosia.LogStore.Postgres.Tests;

[Collection("server")]
public sealed class PostgresCatalogTests(PostgresServer server) : CatalogConformance
{
    private readonly string _uri = server.NewUri();

    protected override ICatalog Open() => Catalogs.Open(_uri, PostgresWorld.Environment());

    [Fact] // An instance serves without it: it must not be held up for as long as a store's silence is borne.
    public async Task A_catalog_that_does_not_answer_is_given_up_after_a_few_seconds()
    {
        await using var proxy = new TcpProxy(server.Port);
        await using ICatalog catalog = Catalogs.Open(server.NewUri(proxy.Port), PostgresWorld.Environment());
        proxy.Freeze();
        await Assert.ThrowsAsync<StoreUnavailableException>(async () =>
            await catalog.GetAsync("bank").AsTask().WaitAsync(TimeSpan.FromSeconds(15)));
    }

    [Fact]
    public async Task An_entry_that_somebody_changed_by_hand_is_named_as_damaged_and_the_next_put_heals_it()
    {
        await using ICatalog catalog = Open();
        await catalog.PutAsync(Entry("bank"), null);
        string schema = _uri.Split('=')[1];
        await server.ScalarAsync($"update {schema}.catalog set entry = replace(entry, '10.0.0.1', '10.0.0.2')");
        var damaged = await Assert.ThrowsAsync<LogStoreException>(async () => await catalog.GetAsync("bank"));
        Assert.Equal("IC-2050", damaged.Code);
        var hidden = new List<LogStoreException>();
        Assert.Empty(await catalog.ListAsync(hidden));
        Assert.Equal("IC-2050", Assert.Single(hidden).Code);
        string? version = await catalog.PutAsync(Entry("bank"), null);
        Assert.Equal(version, (await catalog.GetAsync("bank"))!.Version);
        Assert.Null(await catalog.PutAsync(Entry("bank"), null));
        Assert.NotNull(await catalog.PutAsync(Entry("bank"), version));
    }
}
