using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests.Catalog;

public sealed class DnsCatalogTests
{
    [Fact]
    public async Task Everybody_is_where_the_rule_says_and_nothing_is_kept()
    {
        await using ICatalog catalog = Catalogs.Open("dns:immortal-{instance}.shop.svc:4100", new LogStoreEnvironment());
        CatalogEntry entry = (await catalog.GetAsync("bank-2"))!.Entry;
        Assert.Equal("immortal-bank-2.shop.svc:4100", entry.PeerAddress);
        Assert.Equal("", entry.InstanceId);
        Assert.NotNull(await catalog.PutAsync(new CatalogEntry
            { Instance = "bank-2", PeerAddress = "10.0.0.7:4100", InstanceId = "id" }, expectedVersion: null));
        Assert.Equal(entry.PeerAddress, (await catalog.GetAsync("bank-2"))!.Entry.PeerAddress);
        Assert.Equal("", (await catalog.GetAsync("bank-2"))!.Entry.InstanceId);
        Assert.Empty(await catalog.ListAsync());
        Assert.False(await catalog.RemoveAsync("bank-2"));
    }

    [Theory]
    [InlineData("Bank")]
    [InlineData("bank.shop")]
    [InlineData("bank_1")]
    [InlineData("bank-")]
    public async Task A_name_that_host_names_cannot_hold_is_refused_when_asked_for_and_when_written(string instance)
    {
        await using ICatalog catalog = Catalogs.Open("dns:{instance}:4100", new LogStoreEnvironment());
        var asked = await Assert.ThrowsAsync<LogStoreException>(async () => await catalog.GetAsync(instance));
        Assert.Equal("IC-2041", asked.Code);
        var written = await Assert.ThrowsAsync<LogStoreException>(async () =>
            await catalog.PutAsync(new CatalogEntry { Instance = instance }, null));
        Assert.Contains($"'{instance}'", written.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("dns:")]
    [InlineData("dns:bank:4100")]
    [InlineData("dns:{instance}")]
    [InlineData("dns:{instance}:0")]
    [InlineData("dns:{instance}:99999")]
    [InlineData("dns:{instance}/x:4100")]
    [InlineData("dns:user@{instance}:4100")]
    public void A_rule_without_place_for_the_name_without_port_or_with_more_than_a_host_is_refused(string uri)
    {
        var refused = Assert.Throws<LogStoreException>(() => Catalogs.Open(uri, new LogStoreEnvironment()));
        Assert.Equal("IC-2046", refused.Code);
    }
}
