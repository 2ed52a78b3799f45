using Ambrosia.LogStore.Postgres.Tests.Support;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Shared.Services;
using Npgsql;

namespace Ambrosia.LogStore.Postgres.Tests;

/// <summary>What a server does for a while, and stops to do: its writers wait for that.</summary>
[Collection("server")]
public sealed class PostgresServerTests(PostgresServer server)
{
    private static readonly TimeSpan s_lease = TimeSpan.FromSeconds(2);

    [Fact] // As after a switch-over: the address leads to a server that only reads, and then to one that writes.
    public async Task A_server_that_only_reads_is_waited_for_until_another_writes()
    {
        const string User = "switched";
        await server.ScalarAsync($"create role {User} login superuser password '{PostgresServer.Password}'");
        var options = new LogStoreOptions { LeaseDuration = TimeSpan.FromSeconds(10) };
        await using LogHarness writer = await LogHarness.StartAsync(await WriteAheadLog.OpenAsync(server.NewUri(user: User), "bank", options, PostgresWorld.Environment()));
        await writer.AppendAsync([1]);
        await server.ScalarAsync($"alter role {User} set default_transaction_read_only = on");
        await server.ScalarAsync($"select count(pg_terminate_backend(pid)) from pg_stat_activity where usename = '{User}'");
        Task durable = writer.AppendAsync([2]);
        await Task.Delay(TimeSpan.FromSeconds(1));
        Assert.False(durable.IsCompleted);
        await server.ScalarAsync($"alter role {User} reset default_transaction_read_only");
        await durable;
        Assert.Equal(2, (await LogHarness.ReadAllAsync(writer.Log, Lsn.None)).Count);
    }

    [Theory] // PostgreSQL says that a commit succeeded when it is asked to wait no longer for the standby.
    [InlineData(1)]
    [InlineData(9 << 20)] // In two pieces.
    public async Task While_a_synchronous_standby_is_away_nothing_is_acknowledged_and_the_lease_is_kept(int length)
    {
        var options = new LogStoreOptions { LeaseDuration = TimeSpan.FromSeconds(4), PageSize = 4096 };
        await using LogHarness writer = await LogHarness.StartAsync(await WriteAheadLog.OpenAsync(server.NewUri(), "bank", options, PostgresWorld.Environment()));
        await writer.AppendAsync([1]);
        Task durable = Task.CompletedTask;
        await WithoutStandbyAsync(async () =>
        {
            durable = writer.AppendAsync(new byte[length]);
            await Task.Delay(TimeSpan.FromSeconds(5)); // More than two times of a command, and than the lease.
            Assert.False(durable.IsCompleted);
            Assert.Equal(new Lsn(1), writer.Appender.DurableLsn);
        });
        await durable;
        await writer.AppendAsync([3]);
        Assert.Equal(3, (await LogHarness.ReadAllAsync(writer.Log, Lsn.None)).Count);
    }

    [Theory] // The server bears half a second here. After one second what keeps connections alive notices the end before we do.
    [InlineData(700)]
    [InlineData(1500)]
    public async Task A_transaction_that_the_server_ended_because_nothing_came_is_made_again(int pause)
    {
        await using PostgresDatabase database = Open(TimeSpan.FromSeconds(1));
        int attempts = 0;
        int answer = await database.TransactAsync(async connection =>
        {
            if (++attempts == 1)
            {
                await Task.Delay(pause);
            }

            await using var command = new NpgsqlCommand("select 17", connection);
            return (int)(await command.ExecuteScalarAsync())!;
        });
        Assert.Equal((17, 2), (answer, attempts));
    }

    [Fact]
    public async Task Who_waits_for_a_lease_waits_on_when_the_connection_that_hears_of_it_has_ended_unnoticed()
    {
        await using PostgresDatabase database = Open(s_lease);
        await using var news = new LeaseNews(database, TimeProvider.System);
        await news.WaitAsync(TimeSpan.FromMilliseconds(10), CancellationToken.None);
        await server.ScalarAsync("select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'ambrosia'");
        await Task.Delay(s_lease); // Nobody asks meanwhile but what keeps the connection alive.
        await news.WaitAsync(TimeSpan.FromMilliseconds(10), CancellationToken.None);
        await news.WaitAsync(TimeSpan.FromMilliseconds(10), CancellationToken.None);
    }

    /// <summary>Does something while the server waits for a standby that there is not.</summary>
    private async Task WithoutStandbyAsync(Func<Task> action)
    {
        Task probe = Task.CompletedTask;
        try
        {
            await server.ScalarAsync("alter system set synchronous_standby_names = 'nobody'");
            await server.ScalarAsync("select pg_reload_conf()");
            // Its processes learn that one after the other.
            while (await server.ScalarAsync("select count(*) from pg_stat_activity where wait_event = 'SyncRep'") is 0L)
            {
                probe = probe.IsCompleted ? server.ScalarAsync("select pg_logical_emit_message(true, 'ambrosia', '')::text") : probe;
                await Task.Delay(20);
            }

            await action();
        }
        finally
        {
            await server.ScalarAsync("alter system reset synchronous_standby_names");
            await server.ScalarAsync("select pg_reload_conf()");
            await probe;
        }
    }

    private PostgresDatabase Open(TimeSpan lease) =>
        new(PostgresAddress.Parse(server.NewUri()), new StoreSecret(static name => name == "PGPASSWORD" ? PostgresServer.Password : null), lease, PostgresWorld.Environment());
}
