using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Postgres.Tests.Support;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;
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
        await using LogHarness writer = await LogHarness.StartAsync(
            await LogStores.OpenLogAsync(server.NewUri(user: User), "bank", options, PostgresWorld.Environment()));
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
        await using LogHarness writer =
            await LogHarness.StartAsync(await LogStores.OpenLogAsync(server.NewUri(), "bank", options, PostgresWorld.Environment()));
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

    /// <summary>
    /// The server bears half a second here. It says so when it is asked next, or what keeps connections alive notices first. Nothing
    /// promises how many attempts are needed: a busy machine may lose the next one as well. So the clock that patience is measured by
    /// stands still, and each attempt that was lost is one whose server process the test saw ended.
    /// </summary>
    [Theory]
    [InlineData(1, false)]
    [InlineData(2, false)] // As on a machine that stands still for another half second.
    [InlineData(1, true)]
    [InlineData(2, true)]
    public async Task A_transaction_that_the_server_ended_because_nothing_came_is_made_again(int lost, bool isNoticedFirst)
    {
        await using PostgresDatabase database = Open(TimeSpan.FromSeconds(1), new StandingClock());
        var processes = new List<int>();
        int answer = await database.TransactAsync(async connection =>
        {
            processes.Add(connection.ProcessID);
            if (processes.Count <= lost)
            {
                await EndedAsync(connection, isNoticedFirst);
            }

            await using var command = new NpgsqlCommand("select 17", connection);
            return (int)(await command.ExecuteScalarAsync())!;
        });
        Assert.Equal(17, answer);
        Assert.True(processes.Count > lost, $"{processes.Count} attempts");
        Assert.Distinct(processes); // A connection that has ended is never used again.
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

    /// <summary>Waits until the server has ended a connection's process and, if that is asked for, until the connection knows.</summary>
    private async Task EndedAsync(NpgsqlConnection connection, bool isNoticed)
    {
        while (await server.ScalarAsync($"select count(*) from pg_stat_activity where pid = {connection.ProcessID}") is not 0L
            || (isNoticed && !PostgresDatabase.IsBroken(connection)))
        {
            await Task.Delay(20);
        }
    }

    private PostgresDatabase Open(TimeSpan lease, TimeProvider? time = null)
    {
        var secret = new StoreSecret(static name => name == "PGPASSWORD" ? PostgresServer.Password : null);
        return new PostgresDatabase(PostgresAddress.Parse(server.NewUri()), secret, lease, PostgresWorld.Environment(time: time));
    }

    /// <summary>Its timers run, but no time passes: whatever is tried again while a service is silent is tried until it answers.</summary>
    private sealed class StandingClock : TimeProvider
    {
        public override long GetTimestamp() => 0;
    }
}
