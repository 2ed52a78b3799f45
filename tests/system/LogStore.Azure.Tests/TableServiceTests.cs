using Ambrosia.LogStore.Azure.Tests.Support;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Azure.Data.Tables;
using Azure.Data.Tables.Sas;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.LogStore.Azure.Tests;

/// <summary>
/// What a catalog makes of the table service's answers: of refusals, of silence, of others that were faster, and of secrets that change.
/// </summary>
[Collection("azurite")]
public sealed class TableServiceTests(Azurite azurite)
{
    private const string WrongKey = "aHVudGVyMmh1bnRlcjI=";
    private static readonly CatalogEntry s_bank = new() { Instance = "bank", Epoch = 1 };
    private readonly string _table = $"table{Guid.NewGuid():N}";

    [Fact]
    public async Task An_entry_is_not_said_to_be_stored_while_its_table_is_being_deleted()
    {
        static bool Makes(HttpRequest request) => request.Path.Value!.EndsWith("/Tables", StringComparison.Ordinal);
        await using ScriptedService service = Scripted(static (request, _) =>
            request.Method != "POST" ? null : MadeUpAnswer.Failure(Makes(request) ? 409 : 404, "TableBeingDeleted"));
        await using ICatalog catalog = Open(service);
        var silent = await Assert.ThrowsAsync<StoreUnavailableException>(async () => await catalog.PutAsync(s_bank, null));
        Assert.Contains("did not answer for 6 s", silent.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_conflict_that_passes_is_no_stored_entry()
    {
        int refused = 0;
        await using ScriptedService service = Scripted((request, _) =>
            request.Method == "PUT" && Interlocked.Increment(ref refused) == 1 ? MadeUpAnswer.Failure(409, "TableBeingDeleted") : null);
        await using ICatalog catalog = Open(service);
        string? version = await catalog.PutAsync(s_bank, null);
        Assert.Equal("2", await catalog.PutAsync(s_bank with { Epoch = 2 }, version));
        Assert.Equal(2UL, (await catalog.GetAsync("bank"))!.Entry.Epoch);
        Assert.Equal(2, refused);
    }

    [Fact]
    public async Task A_call_that_gets_no_answer_is_given_up_and_made_again()
    {
        await using ScriptedService service = Scripted(static async (request, number) =>
        {
            await Task.Delay(number == 1 ? Timeout.InfiniteTimeSpan : TimeSpan.Zero, request.HttpContext.RequestAborted);
            return null;
        });
        await using ICatalog catalog = Open(service);
        Assert.Null(await catalog.GetAsync("bank"));
        Assert.Equal(2, service.Ids.Count);
    }

    [Fact]
    public async Task A_service_that_never_answers_is_unavailable_after_twice_the_time_of_a_call()
    {
        await using ScriptedService service = Scripted(static async (request, _) =>
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, request.HttpContext.RequestAborted);
            return null;
        });
        await using ICatalog catalog = Open(service);
        var silent = await Assert.ThrowsAsync<StoreUnavailableException>(async () => await catalog.GetAsync("bank"));
        Assert.Equal("IC-2035", silent.Code);
        Assert.Contains("the store did not answer for 6 s", silent.Message, StringComparison.Ordinal);
        Assert.InRange(service.Ids.Count, 2, 5);
    }

    [Fact]
    public async Task Only_the_catalog_repeats_calls_and_never_its_client()
    {
        await using ScriptedService service = Scripted(static (_, number) => number <= 5 ? MadeUpAnswer.Failure(503, "ServerBusy") : null);
        await using ICatalog catalog = Open(service);
        Assert.NotNull(await catalog.PutAsync(s_bank, null));
        Assert.InRange(service.Ids.Count, 6, 10);
        Assert.Equal(service.Ids.Distinct(), service.Ids);
        Assert.DoesNotContain("", service.Ids);
    }

    [Fact]
    public async Task A_list_whose_answers_fail_or_break_off_is_whole_and_names_nobody_twice()
    {
        await using (ICatalog direct = Catalogs.Open(azurite.TableUri(_table), AzureWorld.Environment()))
        {
            await direct.PutAsync(s_bank, null);
            await Parallel.ForEachAsync(
                Enumerable.Range(0, 1200), async (i, _) => await direct.PutAsync(new CatalogEntry { Instance = $"n{i:D4}" }, null));
        }

        await using ScriptedService service = Scripted(static (_, number) => number switch
        {
            1 => MadeUpAnswer.Failure(503, "ServerBusy"),
            2 => new MadeUpAnswer(200, """{"value":[{"PartitionKey":"ambrosia","RowKey":"n00"""),
            4 => MadeUpAnswer.Failure(500, "InternalError"),
            5 => new MadeUpAnswer(200, ""),
            _ => null,
        });
        await using ICatalog catalog = Open(service);
        string[] all = ["bank", .. Enumerable.Range(0, 1200).Select(static i => $"n{i:D4}")];
        Assert.Equal(all, (await catalog.ListAsync()).Select(static row => row.Entry.Instance));
        Assert.Equal(6, service.Ids.Count); // Two answers, two failures before each.
    }

    [Fact]
    public async Task Of_two_that_looked_at_one_version_the_second_replaces_nothing()
    {
        await using ICatalog other = Catalogs.Open(azurite.TableUri(_table), AzureWorld.Environment());
        string? version = await other.PutAsync(s_bank, null);
        await using ScriptedService service = Scripted(async (request, _) =>
        {
            if (request.Method == "PUT")
            {
                Assert.NotNull(await other.PutAsync(s_bank with { PeerAddress = "first" }, version));
            }

            return null;
        });
        await using ICatalog catalog = Open(service);
        Assert.Null(await catalog.PutAsync(s_bank with { PeerAddress = "second" }, version));
        Assert.Equal("first", (await other.GetAsync("bank"))!.Entry.PeerAddress);
    }

    [Fact]
    public async Task Of_two_that_saw_no_entry_the_second_makes_none()
    {
        await using ICatalog other = Catalogs.Open(azurite.TableUri(_table), AzureWorld.Environment());
        await using ScriptedService service = Scripted(async (request, number) =>
        {
            if (number == 1)
            {
                Assert.NotNull(await other.PutAsync(s_bank with { PeerAddress = "first" }, null));
            }

            return null;
        });
        await using ICatalog catalog = Open(service);
        Assert.Null(await catalog.PutAsync(s_bank with { PeerAddress = "second" }, null));
        Assert.Equal("first", (await other.GetAsync("bank"))!.Entry.PeerAddress);
    }

    [Fact]
    public async Task An_entry_that_changed_since_it_was_looked_at_is_not_removed_by_version()
    {
        await using ICatalog other = Catalogs.Open(azurite.TableUri(_table), AzureWorld.Environment());
        string? version = await other.PutAsync(s_bank, null);
        int deletions = 0;
        await using ScriptedService service = Scripted(async (request, _) =>
        {
            if (request.Method == "DELETE" && Interlocked.Increment(ref deletions) == 1)
            {
                Assert.NotNull(await other.PutAsync(s_bank with { PeerAddress = "new" }, version));
            }

            return null;
        });
        await using ICatalog catalog = Open(service);
        Assert.False(await catalog.RemoveAsync("bank", version));
        Assert.Equal("new", (await other.GetAsync("bank"))!.Entry.PeerAddress);
        Assert.True(await catalog.RemoveAsync("bank")); // Without a version: whatever it is by now.
        Assert.Null(await other.GetAsync("bank"));
    }

    [Fact]
    public async Task A_refusal_names_status_and_the_code_of_the_service()
    {
        await using ScriptedService service = Scripted(static (_, _) => MadeUpAnswer.Failure(400, "InvalidInput"));
        await using ICatalog catalog = Open(service);
        var refused = await Assert.ThrowsAsync<LogStoreException>(async () => await catalog.GetAsync("bank"));
        Assert.Equal("IC-2045", refused.Code);
        Assert.StartsWith("IC-2045 the storage account refuses: 400 InvalidInput | ", refused.Message, StringComparison.Ordinal);
        Assert.Single(service.Ids); // A refusal is not asked for twice.
    }

    [Fact]
    public async Task A_secret_that_was_changed_is_tried_once_and_then_refused()
    {
        string file = Path.GetTempFileName();
        try
        {
            string? Environment(string name) => name == "AMBROSIA_STORE_SECRET_FILE" ? file : null;
            await File.WriteAllTextAsync(file, WrongKey);
            await using ICatalog catalog = OpenWith(Environment);
            Assert.StartsWith("IC-2045 the storage account refuses: 403 ", await RefusalAsync(catalog), StringComparison.Ordinal);
            await File.WriteAllTextAsync(file, Azurite.Key + "\n");
            Assert.NotNull(await catalog.PutAsync(s_bank, null));
            // Another kind needs a restart; the key that is known still opens it.
            await File.WriteAllTextAsync(file, SignatureOf(Azurite.Key));
            Assert.NotNull(await catalog.GetAsync("bank"));
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Fact]
    public async Task A_signature_in_a_file_may_be_changed_while_it_is_used()
    {
        string file = Path.GetTempFileName();
        try
        {
            string? Environment(string name) => name == "AMBROSIA_STORE_SECRET_FILE" ? file : null;
            await File.WriteAllTextAsync(file, SignatureOf(WrongKey));
            await using ICatalog catalog = OpenWith(Environment);
            Assert.StartsWith("IC-2045 the storage account refuses: 403 ", await RefusalAsync(catalog), StringComparison.Ordinal);
            await File.WriteAllTextAsync(file, SignatureOf(Azurite.Key) + "\n");
            Assert.NotNull(await catalog.PutAsync(s_bank, null));
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Neither_a_signature_nor_Entra_ID_is_shown_to_another_machine_without_TLS(bool hasSignature)
    {
        string? Environment(string name) => hasSignature && name == "AZURE_STORAGE_SAS_TOKEN" ? SignatureOf(Azurite.Key) : null;
        await using ICatalog catalog = OpenWith(Environment, "aztable://azurite:10002/ambrosiatests/catalog?tls=off");
        string refusal = await RefusalAsync(catalog);
        Assert.StartsWith("IC-2045 ", refusal, StringComparison.Ordinal);
        Assert.Contains("TLS", refusal, StringComparison.Ordinal);
        Assert.DoesNotContain("sig=", refusal, StringComparison.Ordinal);
    }

    private static async Task<string> RefusalAsync(ICatalog catalog) =>
        (await Assert.ThrowsAsync<LogStoreException>(async () => await catalog.GetAsync("bank"))).Message;

    private static string SignatureOf(string key)
    {
        DateTimeOffset end = DateTimeOffset.UtcNow.AddHours(1);
        var signature = new TableAccountSasBuilder(TableAccountSasPermissions.All, TableAccountSasResourceTypes.All, end);
        return signature.Sign(new TableSharedKeyCredential(Azurite.Account, key));
    }

    private ICatalog OpenWith(Func<string, string?> secrets, string? uri = null) =>
        Catalogs.Open(uri ?? azurite.TableUri(_table), AzureWorld.Environment(stores: [new AzureTableCatalogs(secrets)]));

    private ICatalog Open(ScriptedService service) => Catalogs.Open(azurite.TableUri(_table, service.Port), AzureWorld.Environment());

    private ScriptedService Scripted(Func<HttpRequest, int, MadeUpAnswer?> script) =>
        Scripted((request, number) => new ValueTask<MadeUpAnswer?>(script(request, number)));

    private ScriptedService Scripted(Func<HttpRequest, int, ValueTask<MadeUpAnswer?>> script) => new(azurite.TablePort, script);
}
