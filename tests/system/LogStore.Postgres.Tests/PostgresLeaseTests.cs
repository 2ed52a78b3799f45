using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Postgres.Tests.Support;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;
using Ambrosia.Services;

namespace Ambrosia.LogStore.Postgres.Tests;

/// <summary>G7, G9: which process may append, whatever happens to it and to the network.</summary>
[Collection("server")]
public sealed class PostgresLeaseTests(PostgresServer server)
{
    private static readonly LogStoreOptions s_quick = new() { LeaseDuration = TimeSpan.FromSeconds(2) };

    /// <summary>Where the lease must last though a connection is made anew beside whatever else the machine does.</summary>
    private static readonly LogStoreOptions s_patient = new() { LeaseDuration = TimeSpan.FromSeconds(8) };

    [Fact]
    public async Task An_append_whose_answer_was_lost_has_happened_once()
    {
        await using var proxy = new TcpProxy(server.Port);
        string schema = server.NewUri().Split('=')[1];
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(server.UriOf(schema, proxy.Port)));
        const int Appends = 60;
        for (int i = 0; i < Appends; i++)
        {
            if (i % 2 == 0)
            {
                proxy.SwallowNextAnswer();
            }

            await writer.AppendAsync(BitConverter.GetBytes(i));
        }

        Assert.InRange(proxy.Swallowed, Appends / 2, Appends);
        List<(Lsn Lsn, byte[] Body)> records = await LogHarness.ReadAllAsync(writer.Log, Lsn.None);
        Assert.Equal(Enumerable.Range(0, Appends), records.Select(static record => BitConverter.ToInt32(record.Body)));
    }

    [Fact]
    public async Task A_large_append_whose_answer_was_lost_has_happened_once()
    {
        await using var proxy = new TcpProxy(server.Port);
        var options = new LogStoreOptions { PageSize = 4096 };
        await using LogHarness writer =
            await LogHarness.StartAsync(await OpenAsync(server.UriOf(server.NewUri().Split('=')[1], proxy.Port), options));
        byte[] large = new byte[(20 << 20) + 123]; // In three pieces.
        Random.Shared.NextBytes(large);
        for (int i = 0; i < 6; i++)
        {
            proxy.SwallowNextAnswer();
            await writer.AppendAsync(large);
        }

        List<(Lsn Lsn, byte[] Body)> records = await LogHarness.ReadAllAsync(writer.Log, Lsn.None);
        Assert.Equal(6, records.Count);
        Assert.All(records, record => Assert.True(record.Body.AsSpan(0, large.Length).SequenceEqual(large)));
    }

    [Fact]
    public async Task While_the_server_cannot_be_reached_appends_wait_and_nothing_is_acknowledged()
    {
        await using var proxy = new TcpProxy(server.Port);
        await using LogHarness writer =
            await LogHarness.StartAsync(await OpenAsync(server.UriOf(server.NewUri().Split('=')[1], proxy.Port)));
        await writer.AppendAsync([1]);
        proxy.Refuse();
        await writer.PublishAsync([2]);
        Task durable = writer.Appender.FlushAsync();
        Assert.False(durable.IsCompleted);
        Assert.Equal(new Lsn(1), writer.Appender.DurableLsn);
        proxy.Accept();
        await durable;
        Assert.Equal(2, (await LogHarness.ReadAllAsync(writer.Log, Lsn.None)).Count);
    }

    [Fact]
    public async Task A_holder_that_cannot_prove_its_lease_stops_by_itself()
    {
        await using var proxy = new TcpProxy(server.Port);
        var fatal = new RecordingFatal();
        LogHarness writer = await LogHarness.StartAsync(
            await OpenAsync(server.UriOf(server.NewUri().Split('=')[1], proxy.Port), s_quick, fatal));
        proxy.Freeze();
        (int code, string line) = await fatal.Died.WaitAsync(TimeSpan.FromSeconds(30));
        Assert.Equal((int)ExitCode.LeaseLost, code);
        Assert.StartsWith("IC-3005", line, StringComparison.Ordinal);
        await Assert.ThrowsAnyAsync<LogStoreException>(() => writer.Appender.Completion);
        await Assert.ThrowsAsync<LogFailedException>(writer.Appender.FlushAsync);
        proxy.Thaw();
        await writer.DisposeAsync();
    }

    [Fact]
    public async Task Of_a_holder_that_was_superseded_not_a_byte_is_accepted()
    {
        await using var proxy = new TcpProxy(server.Port);
        string schema = server.NewUri().Split('=')[1];
        var fatal = new RecordingFatal();
        LogHarness old = await LogHarness.StartAsync(await OpenAsync(server.UriOf(schema, proxy.Port), s_quick, fatal));
        await old.AppendAsync([1]);
        proxy.Freeze();
        await old.PublishAsync([2]); // Its bytes lie in the network until there is a next holder.
        await using WriteAheadLog log = await OpenAsync(server.UriOf(schema), s_quick);
        await using ILogLease lease = await log.AcquireAsync(CancellationToken.None);
        Assert.Equal(new Epoch(2), (await log.BecomeWriterAsync(lease)).Epoch);
        long pieces = (long)(await server.ScalarAsync($"select count(*) from {schema}.pieces"))!;
        proxy.Thaw();
        (int code, string line) = await fatal.Died.WaitAsync(TimeSpan.FromSeconds(30));
        Assert.True(code == (int)ExitCode.LeaseLost, line);
        await Assert.ThrowsAnyAsync<LogStoreException>(() => old.Appender.Completion);
        Assert.Equal(new Lsn(1), old.Appender.DurableLsn);
        await Assert.ThrowsAsync<LeaseLostException>(async () => await old.Log.Storage.WriteManifestAsync(0, new byte[8]));
        await Assert.ThrowsAsync<LeaseLostException>(async () => await old.Log.Storage.CreateCheckpointAsync(new Lsn(1)));
        Assert.Null(await old.Log.Storage.CreateSegmentAsync(9, new byte[8]));
        await old.Log.Storage.DeleteSegmentAsync(1);
        Assert.Equal(pieces, (long)(await server.ScalarAsync($"select count(*) from {schema}.pieces"))!);
        Assert.Single(await LogHarness.ReadAllAsync(log, Lsn.None));
        await old.DisposeAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_lease_of_a_dead_process_of_this_machine_is_not_waited_for(bool sameMachine)
    {
        string uri = server.NewUri();
        string schema = uri.Split('=')[1];
        await using WriteAheadLog log = await OpenAsync(uri);
        await (await log.AcquireAsync(CancellationToken.None)).DisposeAsync();
        await server.ScalarAsync(
            $"update {schema}.leases set holder = 'pid {int.MaxValue} started 1', machine = "
            + $"'{(sameMachine ? LeaseHolder.Current.Machine : "another")}', expires = now() + interval '1 hour'");
        Assert.True(await log.IsHeldAsync());
        await using ILogLease? lease = await log.TryAcquireAsync();
        Assert.Equal(sameMachine, lease is not null);
    }

    [Fact]
    public async Task A_renewal_that_arrives_after_the_release_does_not_keep_the_lease_for_another_term()
    {
        string uri = server.NewUri();
        string schema = uri.Split('=')[1];
        await using WriteAheadLog log = await OpenAsync(uri);
        ILogLease lease = (await log.TryAcquireAsync())!;
        object token = (await server.ScalarAsync($"select token from {schema}.leases where instance = 'bank'"))!;
        await lease.DisposeAsync();
        // As it was sent before.
        await server.ScalarAsync(
            $"update {schema}.leases set expires = now() + interval '15 s' where instance = 'bank' and token = {token}");
        Assert.False(await log.IsHeldAsync());
        await using ILogLease? next = await log.TryAcquireAsync();
        Assert.NotNull(next);
    }

    [Fact]
    public async Task A_lock_beside_the_log_that_a_dead_process_of_this_machine_held_is_nobodys()
    {
        string uri = server.NewUri();
        string schema = uri.Split('=')[1];
        await using WriteAheadLog log = await OpenAsync(uri);
        await (await log.AcquireNamedLeaseAsync("successor", wait: false, CancellationToken.None))!.DisposeAsync();
        await server.ScalarAsync(
            $"update {schema}.leases set holder = 'pid {int.MaxValue} started 1', machine = '{LeaseHolder.Current.Machine}', expires = "
            + $"now() + interval '1 hour' where instance = 'bank/successor'");
        Assert.False(await log.IsNamedLeaseHeldAsync("successor"));
        await using ILogLease? taken = await log.AcquireNamedLeaseAsync("successor", wait: false, CancellationToken.None);
        Assert.NotNull(taken);
    }

    [Fact]
    public async Task A_lock_beside_the_log_that_cannot_be_renewed_is_lost_before_another_gets_it()
    {
        await using var proxy = new TcpProxy(server.Port);
        string schema = server.NewUri().Split('=')[1];
        await using WriteAheadLog one = await OpenAsync(server.UriOf(schema, proxy.Port), s_quick);
        await using WriteAheadLog other = await OpenAsync(server.UriOf(schema), s_quick);
        ILogLease held = (await one.AcquireNamedLeaseAsync("checkpointer", wait: false, CancellationToken.None))!;
        proxy.Freeze();
        ILogLease next = (await other.AcquireNamedLeaseAsync("checkpointer", wait: true, CancellationToken.None).AsTask()
            .WaitAsync(TimeSpan.FromSeconds(30)))!;
        Assert.Equal("IC-3005", (await Assert.ThrowsAsync<LeaseLostException>(async () => await held.VerifyAsync())).Code);
        proxy.Thaw();
        await next.DisposeAsync();
        await held.DisposeAsync();
    }

    [Fact]
    public async Task A_lease_whose_connection_carries_nothing_any_more_is_renewed_over_a_new_one()
    {
        await using var proxy = new TcpProxy(server.Port);
        string schema = server.NewUri().Split('=')[1];
        var fatal = new RecordingFatal();
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(server.UriOf(schema, proxy.Port), s_patient, fatal));
        for (int i = 0; i < 3; i++)
        {
            proxy.SilenceConnections();
            string before = await ExpiryAsync(schema);
            await UntilAsync(async () => writer.Lease.Lost.IsCancellationRequested || await ExpiryAsync(schema) != before);
            Assert.False(writer.Lease.Lost.IsCancellationRequested);
        }

        await writer.AppendAsync([1]);
        Assert.False(fatal.Died.IsCompleted);
    }

    [Fact]
    public async Task A_renewal_that_waits_for_a_lock_is_ended_by_the_server_when_nobody_can_ask_it_to()
    {
        await using var proxy = new TcpProxy(server.Port);
        string schema = server.NewUri().Split('=')[1];
        await using WriteAheadLog log =
            await OpenAsync(server.UriOf(schema, proxy.Port), new LogStoreOptions { LeaseDuration = TimeSpan.FromSeconds(4) });
        ILogLease lease = (await log.TryAcquireAsync())!;
        await using var holding = new Npgsql.NpgsqlConnection(server.ConnectionString);
        await holding.OpenAsync();
        await using Npgsql.NpgsqlTransaction transaction = await holding.BeginTransactionAsync();
        await using var hold = new Npgsql.NpgsqlCommand($"select token from {schema}.leases for update", holding, transaction);
        await hold.ExecuteScalarAsync();
        await UntilAsync(async () => await WaitingAsync(schema) > 0);
        proxy.Freeze();
        await UntilAsync(async () => await WaitingAsync(schema) == 0);
        await transaction.RollbackAsync();
        proxy.Thaw();
        await lease.DisposeAsync();
    }

    private async Task<string> ExpiryAsync(string schema) =>
        (string)(await server.ScalarAsync($"select expires::text from {schema}.leases where instance = 'bank'"))!;

    /// <summary>Renewals that wait for a lock.</summary>
    private async Task<long> WaitingAsync(string schema) =>
        (long)(await server.ScalarAsync(
            $"select count(*) from pg_stat_activity where query like 'update {schema}.leases set expires%' and wait_event_type = 'Lock'"))!;

    private static async Task UntilAsync(Func<Task<bool>> condition)
    {
        DateTime deadline = DateTime.UtcNow + TimeSpan.FromSeconds(60);
        while (!await condition())
        {
            Assert.True(DateTime.UtcNow < deadline, "The awaited condition did not come about within a minute.");
        }
    }

    [Fact]
    public async Task Of_many_that_ask_for_a_free_lease_one_gets_it()
    {
        string uri = server.NewUri();
        WriteAheadLog[] logs = await Task.WhenAll(Enumerable.Range(0, 6).Select(_ => OpenAsync(uri).AsTask()));
        ILogLease?[] leases = await Task.WhenAll(logs.Select(static log => Task.Run(async () => await log.TryAcquireAsync())));
        Assert.Single(leases, static lease => lease is not null);
        foreach (ILogLease? lease in leases)
        {
            await (lease?.DisposeAsync() ?? default);
        }

        foreach (WriteAheadLog log in logs)
        {
            await log.DisposeAsync();
        }
    }

    private static ValueTask<WriteAheadLog> OpenAsync(string uri, LogStoreOptions? options = null, RecordingFatal? fatal = null) =>
        LogStores.OpenLogAsync(uri, "bank", options ?? new LogStoreOptions(), PostgresWorld.Environment(fatal));
}
