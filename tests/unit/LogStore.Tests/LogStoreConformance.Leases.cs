using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.LogStore.Tests;

public abstract partial class LogStoreConformance
{
    [Fact]
    public async Task Only_one_holds_the_lease_and_a_waiter_gets_it_when_it_is_given_back()
    {
        await using WriteAheadLog first = await OpenAsync();
        await using WriteAheadLog second = await OpenAsync();
        ILogLease held = await first.AcquireAsync(CancellationToken.None);
        Assert.Null(await second.TryAcquireAsync());
        Task<ILogLease> waiting = second.AcquireAsync(CancellationToken.None).AsTask();
        Assert.False(waiting.IsCompleted);
        await held.DisposeAsync();
        await using ILogLease got = await waiting;
        await got.VerifyAsync();
        Assert.Null(await first.TryAcquireAsync());
    }

    [Fact]
    public async Task Waiting_for_the_lease_can_be_given_up_without_taking_it_later()
    {
        await using WriteAheadLog first = await OpenAsync();
        await using WriteAheadLog second = await OpenAsync();
        ILogLease held = await first.AcquireAsync(CancellationToken.None);
        using var giveUp = new CancellationTokenSource();
        Task<ILogLease> waiting = second.AcquireAsync(giveUp.Token).AsTask();
        await giveUp.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        await held.DisposeAsync();
        await using ILogLease next = await first.AcquireAsync(CancellationToken.None);
        await next.VerifyAsync();
    }

    [Fact]
    public async Task Every_acquisition_of_the_right_to_append_opens_a_new_epoch_even_without_a_record()
    {
        for (ulong epoch = 1; epoch <= 5; epoch++)
        {
            await using LogHarness writer = await StartAsync();
            Assert.Equal(new Epoch(epoch), writer.Start.Epoch);
            Assert.Equal(Lsn.None, writer.Start.LastLsn);
            await using WriteAheadLog view = await OpenAsync();
            Assert.Equal(new Epoch(epoch), view.Epoch); // Durable before anything else.
        }
    }

    [Fact]
    public async Task A_log_of_another_cluster_or_instance_is_refused()
    {
        await using (LogHarness writer = await StartAsync(new LogStoreOptions { Cluster = "blue" }))
        {
            await writer.AppendAsync(Bytes("x"));
        }

        var refused = await Assert.ThrowsAsync<LogStoreException>(async () => await OpenAsync(new LogStoreOptions { Cluster = "green" }));
        Assert.Equal("IC-2006", refused.Code);
        Assert.Contains("blue", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("../bank")]
    [InlineData("")]
    [InlineData(".catalog")]
    [InlineData("a/b")]
    [InlineData("a\nb")]
    public void A_name_that_could_leave_the_store_is_refused(string name)
    {
        var refused = Assert.Throws<InstanceNameException>(() => LogStores.Open(Uri, name, new LogStoreOptions(), NewEnvironment()));
        Assert.StartsWith("IC-2041", refused.Message, StringComparison.Ordinal);
    }
}
