using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Postgres.Tests.Support;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Services;

namespace Ambrosia.LogStore.Postgres.Tests;

/// <summary>What a server may say instead of serving, and what people are told then: never a secret.</summary>
[Collection("server")]
public sealed class PostgresRefusalTests(PostgresServer server)
{
    [Fact]
    public async Task A_wrong_password_is_named_and_not_shown()
    {
        LogStoreException refused = await RefusedAsync(server.NewUri(), static name => name == "PGPASSWORD" ? "hunter2" : null);
        Assert.Equal("IC-2045", refused.Code);
        Assert.DoesNotContain("hunter2", refused.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_password_may_lie_in_a_file_and_be_changed_there()
    {
        string file = Path.GetTempFileName();
        try
        {
            string? Environment(string name) => name == "AMBROSIA_STORE_SECRET_FILE" ? file : null;
            string uri = server.NewUri();
            await File.WriteAllTextAsync(file, "hunter2");
            Assert.Equal("IC-2045", (await RefusedAsync(uri, Environment)).Code);
            await File.WriteAllTextAsync(file, PostgresServer.Password + "\n");
            await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(uri, Environment));
            await writer.AppendAsync([1]);
            File.Delete(file);
            Assert.Equal("IC-2045", (await RefusedAsync(uri, Environment)).Code);
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Fact]
    public async Task A_server_that_is_not_there_is_waited_for_and_then_named()
    {
        await using var proxy = new TcpProxy(server.Port);
        proxy.Refuse();
        Assert.Equal("IC-2035", (await RefusedAsync(server.NewUri(proxy.Port))).Code);
    }

    [Fact]
    public async Task A_database_that_is_not_there_is_named()
    {
        LogStoreException refused = await RefusedAsync(server.NewUri().Replace("/postgres?", "/nobody?", StringComparison.Ordinal));
        Assert.Equal("IC-2045", refused.Code);
        Assert.Contains("nobody", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_may_forget_what_it_confirmed_is_refused()
    {
        await server.ScalarAsync("create role careless login superuser password '" + PostgresServer.Password + "'");
        await server.ScalarAsync("alter role careless set synchronous_commit = off");
        Assert.Equal("IC-2047", (await RefusedAsync(server.NewUri(user: "careless"))).Code);
    }

    [Fact]
    public async Task Tables_of_another_format_are_left_alone()
    {
        string uri = server.NewUri();
        await (await LogHarness.StartAsync(await OpenAsync(uri, Password))).DisposeAsync();
        await server.ScalarAsync($"update {uri.Split('=')[1]}.format set version = 2");
        Assert.Equal("IC-5001", (await RefusedAsync(uri)).Code);
    }

    private static string? Password(string name) => name == "PGPASSWORD" ? PostgresServer.Password : null;

    private static async Task<LogStoreException> RefusedAsync(
        string uri, Func<string, string?>? environment = null) => await Assert.ThrowsAnyAsync<LogStoreException>(async () =>
    {
        await using WriteAheadLog log = await OpenAsync(uri, environment ?? Password);
        await log.TryAcquireAsync();
    });

    private static ValueTask<WriteAheadLog> OpenAsync(string uri, Func<string, string?> environment) => LogStores.OpenLogAsync(
        uri, "bank", new LogStoreOptions { LeaseDuration = TimeSpan.FromSeconds(2) }, new LogStoreEnvironment
            { Stores = [new PostgresStores(environment)], Fatal = new RecordingFatal() });
}
