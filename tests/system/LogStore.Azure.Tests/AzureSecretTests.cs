using Ambrosia.LogStore.Azure.Tests.Support;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;
using Azure.Storage;
using Azure.Storage.Sas;

namespace Ambrosia.LogStore.Azure.Tests;

/// <summary>What opens an account, and that nobody gets to read it.</summary>
[Collection("azurite")]
public sealed class AzureSecretTests(Azurite azurite)
{
    private const string WrongKey = "aHVudGVyMmh1bnRlcjI=";
    private readonly CollectingLogger _logger = new();

    private static string Signature { get; } = new AccountSasBuilder(AccountSasPermissions.All, DateTimeOffset.UtcNow.AddHours(1),
        AccountSasServices.All, AccountSasResourceTypes.All) { Protocol = SasProtocol.HttpsAndHttp }
        .ToSasQueryParameters(new StorageSharedKeyCredential(Azurite.Account, Azurite.Key)).ToString();

    public static TheoryData<string, string> Kinds => new()
    {
        { "AZURE_STORAGE_KEY", Azurite.Key },
        { "AZURE_STORAGE_SAS_TOKEN", Signature },
        { "AZURE_STORAGE_SAS_TOKEN", "?" + Signature },
        { "AZURE_STORAGE_CONNECTION_STRING",
            $"DefaultEndpointsProtocol=https;AccountName={Azurite.Account};AccountKey={Azurite.Key};EndpointSuffix=core.windows.net" },
        { "AZURE_STORAGE_CONNECTION_STRING", $"BlobEndpoint=https://elsewhere/;SharedAccessSignature={Signature}" },
    };

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Each_kind_of_secret_opens_store_and_catalog_and_is_told_to_nobody(string variable, string secret)
    {
        string? Environment(string name) => name == variable ? secret : null;
        await using (LogHarness writer = await LogHarness.StartAsync(await OpenAsync(azurite.NewBlobUri(), Environment)))
        {
            await writer.AppendAsync([1]);
            await writer.CheckpointAsync(new Lsn(1), [2]);
            Assert.DoesNotContain(secret, writer.Log.Location, StringComparison.Ordinal);
        }

        await using ICatalog catalog = Catalogs.Open(azurite.NewTableUri(), EnvironmentOf(Environment));
        Assert.NotNull(await catalog.PutAsync(new CatalogEntry { Instance = "bank" }, null));
        Assert.Single(await catalog.ListAsync());
        Assert.All(_logger.Lines, line => Assert.DoesNotContain(secret, line, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("AZURE_STORAGE_KEY", WrongKey)]
    [InlineData("AZURE_STORAGE_SAS_TOKEN", "sv=2022-11-02&ss=bt&srt=sco&sp=rwdlacu&se=2099-01-01T00%3A00%3A00Z&sig=aHVudGVyMg%3D%3D")]
    [InlineData("AZURE_STORAGE_KEY", "hunter2 is no base64")]
    public async Task A_secret_that_does_not_fit_is_refused_and_not_shown(string variable, string secret)
    {
        string? Environment(string name) => name == variable ? secret : null;
        await RefusedAsync(azurite.NewBlobUri(), Environment, secret);
        await using ICatalog catalog = Catalogs.Open(azurite.NewTableUri(), EnvironmentOf(Environment));
        var refused = await Assert.ThrowsAsync<LogStoreException>(async () =>
            await catalog.PutAsync(new CatalogEntry { Instance = "bank" }, null));
        Assert.Equal("IC-2045", refused.Code);
        Assert.DoesNotContain(secret, refused.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_key_in_a_file_may_be_changed_while_it_is_used()
    {
        string file = Path.GetTempFileName();
        try
        {
            string? Environment(string name) => name == "AMBROSIA_STORE_SECRET_FILE" ? file : null;
            await File.WriteAllTextAsync(file, WrongKey);
            await using Storage.ILogStorage storage = new AzureBlobStores(Environment)
                .OpenLog(azurite.NewBlobUri(), "bank", new LogStoreOptions(), EnvironmentOf(Environment));
            Assert.Equal("IC-2045", (await Assert.ThrowsAsync<LogStoreException>(async () => await storage.ListSegmentsAsync())).Code);
            await File.WriteAllTextAsync(file, Azurite.Key + "\n");
            Assert.Empty(await storage.ListSegmentsAsync());
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Fact]
    public async Task Without_a_secret_Entra_ID_is_asked_and_never_without_TLS()
    {
        LogStoreException refused = await RefusedAsync(azurite.NewBlobUri(), static _ => null, Azurite.Key);
        Assert.Contains("Entra ID", refused.Message, StringComparison.Ordinal);
    }

    private async Task<LogStoreException> RefusedAsync(string uri, Func<string, string?> environment, string secret)
    {
        var refused = await Assert.ThrowsAnyAsync<LogStoreException>(async () => await OpenAsync(uri, environment));
        Assert.Equal("IC-2045", refused.Code);
        Assert.DoesNotContain(secret, refused.ToString(), StringComparison.Ordinal);
        return refused;
    }

    private LogStoreEnvironment EnvironmentOf(Func<string, string?> environment) =>
        AzureWorld.Environment(logger: _logger, stores: [new AzureBlobStores(environment), new AzureTableCatalogs(environment)]);

    private ValueTask<WriteAheadLog> OpenAsync(string uri, Func<string, string?> environment) =>
        LogStores.OpenLogAsync(uri, "bank", new LogStoreOptions(), EnvironmentOf(environment));
}
