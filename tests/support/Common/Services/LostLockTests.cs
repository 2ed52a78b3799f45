using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.Services;

/// <summary>In a service a lock beside the log is a lease, and can be lost: then nothing counts any more that rested on it (G7, G9). Every
/// such store runs all of it.</summary>
public abstract class LostLockTests
{
    /// <summary>URI of a store that this test has for itself.</summary>
    protected abstract string Uri { get; }

    protected abstract LogStoreEnvironment NewEnvironment();

    /// <summary>What the service does when the time of a lock is over.</summary>
    protected abstract Task ExpireAsync(string sideLock);

    [Fact]
    public async Task Who_has_lost_a_lock_to_another_learns_it_at_the_next_renewal_and_does_not_take_the_other_ones_away()
    {
        await using WriteAheadLog one = await OpenAsync();
        await using WriteAheadLog other = await OpenAsync();
        ILogLease lost = await TakeAsync(one, NamedLeases.Checkpointer);
        await ExpireAsync(NamedLeases.Checkpointer);
        await using ILogLease held = await TakeAsync(other, NamedLeases.Checkpointer);
        await Poll.UntilAsync(() => lost.Lost.IsCancellationRequested);
        LeaseLostException error = await Assert.ThrowsAsync<LeaseLostException>(async () => await lost.VerifyAsync());
        Assert.Equal("IC-3001", error.Code);
        Assert.Contains(NamedLeases.Checkpointer, error.Message, StringComparison.Ordinal);
        await lost.DisposeAsync();
        await held.VerifyAsync();
        Assert.True(await one.IsNamedLeaseHeldAsync(NamedLeases.Checkpointer));
    }

    [Fact]
    public async Task A_checkpoint_counts_no_more_when_another_has_got_the_lock_that_it_was_begun_under()
    {
        await using LogHarness writer = await WriterAsync();
        await using WriteAheadLog replica = await OpenAsync();
        await using WriteAheadLog other = await OpenAsync();
        await using ILogLease lost = await TakeAsync(replica, NamedLeases.Checkpointer);
        await FollowAsync(replica);
        await using CheckpointWriter begun = replica.BeginCheckpoint(replica.DurableLsn);
        await begun.WriteAsync(new byte[5 << 20]); // More than one piece: it is on its way.
        await ExpireAsync(NamedLeases.Checkpointer);
        await using ILogLease held = await TakeAsync(other, NamedLeases.Checkpointer);
        await Assert.ThrowsAsync<CheckpointFailedException>(async () => await begun.CompleteAsync());
        Assert.Empty(await other.Storage.ListCheckpointsAsync());

        await FollowAsync(other);
        await using CheckpointWriter next = other.BeginCheckpoint(other.DurableLsn);
        await next.WriteAsync(new byte[100]);
        await next.CompleteAsync();
        Assert.Equal([other.DurableLsn], await writer.Log.Storage.ListCheckpointsAsync());
        await writer.AppendAsync([4]); // The writer is not concerned.
    }

    [Fact] // docs/internals/upgrades.md: a process that commits an upgrade has both.
    public async Task A_writer_that_had_the_lock_of_the_checkpointer_and_lost_it_completes_no_checkpoint_and_goes_on()
    {
        await using LogHarness writer = await WriterAsync();
        await using WriteAheadLog other = await OpenAsync();
        ILogLease lost = await TakeAsync(writer.Log, NamedLeases.Checkpointer);
        await using CheckpointWriter begun = writer.Log.BeginCheckpoint(writer.Appender.DurableLsn);
        await begun.WriteAsync(new byte[100]);
        await ExpireAsync(NamedLeases.Checkpointer);
        ILogLease held = await TakeAsync(other, NamedLeases.Checkpointer);
        await Assert.ThrowsAsync<CheckpointFailedException>(async () => await begun.CompleteAsync());
        Assert.Empty(await other.Storage.ListCheckpointsAsync());
        await writer.AppendAsync([4]);

        await held.DisposeAsync();
        await lost.DisposeAsync();
        await writer.CheckpointAsync(writer.Appender.DurableLsn, new byte[100]);
        Assert.Single(await other.Storage.ListCheckpointsAsync());
    }

    private ValueTask<WriteAheadLog> OpenAsync() => LogStores.OpenLogAsync(Uri, "bank", new LogStoreOptions(), NewEnvironment());

    private static async Task<ILogLease> TakeAsync(WriteAheadLog log, string name) =>
        await log.AcquireNamedLeaseAsync(name, wait: false, CancellationToken.None)
        ?? throw new InvalidOperationException($"'{name}' is another's.");

    private async Task<LogHarness> WriterAsync()
    {
        LogHarness writer = await LogHarness.StartAsync(await OpenAsync());
        await writer.AppendAsync([1], [2], [3]);
        return writer;
    }

    private static async Task FollowAsync(WriteAheadLog log)
    {
        await LogHarness.ReadAllAsync(log, Lsn.None);
        Assert.NotEqual(Lsn.None, log.DurableLsn);
    }
}
