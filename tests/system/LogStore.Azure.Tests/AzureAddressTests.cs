using Ambrosia.LogStore.Azure.Tests.Support;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.LogStore.Azure.Tests;

public sealed class AzureAddressTests
{
    [Fact]
    public void An_address_says_which_account_holds_the_container()
    {
        AzureAddress cloud = AzureAddress.Parse("azblob://ledgers.blob.core.windows.net/blue-logs", "azblob");
        Assert.Equal(new AzureAddress("azblob", "ledgers.blob.core.windows.net", "ledgers", "blue-logs", false, false), cloud);
        Assert.Equal("https://ledgers.blob.core.windows.net/", cloud.Service.ToString());
        Assert.Equal("azblob://ledgers.blob.core.windows.net/blue-logs", cloud.Location);
        AzureAddress emulator = AzureAddress.Parse("azblob://127.0.0.1:10000/devstoreaccount1/logs?tls=off", "azblob");
        Assert.Equal("http://127.0.0.1:10000/devstoreaccount1", emulator.Service.ToString());
        Assert.Equal("devstoreaccount1", emulator.Account);
        Assert.Equal("azurite",
            AzureAddress.Parse("aztable://azurite:10002/devstoreaccount1/catalog?tls=off", "aztable").Host.Split(':')[0]);
    }

    [Theory]
    [InlineData("azblob://user:hunter2@ledgers.blob.core.windows.net/logs")]
    [InlineData("azblob://ledgers.blob.core.windows.net/logs?sv=2022&sig=hunter2")]
    [InlineData("azblob://ledgers.blob.core.windows.net/")]
    [InlineData("azblob://ledgers.blob.core.windows.net/Logs")]
    [InlineData("azblob://ledgers.blob.core.windows.net/a--b")]
    [InlineData("azblob://ledgers.blob.core.windows.net/ab")]
    [InlineData("azblob://127.0.0.1:10000/logs")]
    [InlineData("azblob:logs")]
    [InlineData("azblob://ledgers.blob.core.windows.net/logs?color=blue")]
    public void What_is_no_address_or_holds_a_secret_is_refused_and_not_repeated(string uri)
    {
        var refused = Assert.Throws<LogStoreException>(() => LogStores.Open(uri, "bank", new LogStoreOptions(), AzureWorld.Environment()));
        Assert.Equal("IC-2046", refused.Code);
        Assert.DoesNotContain("hunter2", refused.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_lease_shorter_than_Azure_gives_is_refused()
    {
        var options = new LogStoreOptions { LeaseDuration = TimeSpan.FromSeconds(5) };
        var refused = Assert.Throws<LogStoreException>(() =>
            LogStores.Open("azblob://ledgers.blob.core.windows.net/logs", "bank", options, AzureWorld.Environment()));
        Assert.Equal("IC-2048", refused.Code);
    }

    [Fact]
    public void A_container_is_no_catalog()
    {
        var refused = Assert.Throws<LogStoreException>(() =>
            Catalogs.Open("azblob://ledgers.blob.core.windows.net/logs", AzureWorld.Environment()));
        Assert.Equal("IC-2040", refused.Code);
        Assert.Contains("aztable://", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_said_about_a_secret_does_not_tell_it()
    {
        Assert.Equal("an account's key", new AzureSecret("hunter2", null).ToString());
        Assert.Equal("a shared access signature", new AzureSecret(null, "sig=hunter2").ToString());
    }
}
