using System.Text;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

/// <summary>What every store owes; each store runs all of it.</summary>
public abstract partial class LogStoreConformance
{
    protected static LogStoreOptions SmallSegments => new() { SegmentSize = 64 * 1024, PageSize = 4096 };

    /// <summary>URI of a store that this test has for itself.</summary>
    protected abstract string Uri { get; }

    protected abstract LogStoreEnvironment NewEnvironment();

    protected ValueTask<WriteAheadLog> OpenAsync(LogStoreOptions? options = null, LogStoreEnvironment? environment = null) =>
        LogStores.OpenLogAsync(Uri, "bank", options ?? new LogStoreOptions(), environment ?? NewEnvironment());

    protected async Task<LogHarness> StartAsync(LogStoreOptions? options = null, CollectingSink? sink = null) =>
        await LogHarness.StartAsync(await OpenAsync(options), sink);

    protected static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);

    protected static byte[] Filled(int size, byte value)
    {
        byte[] bytes = new byte[size];
        Array.Fill(bytes, value);
        return bytes;
    }

    [Fact]
    public async Task A_log_that_was_never_made_does_not_exist_and_looking_at_it_makes_nothing()
    {
        await using WriteAheadLog log = await OpenAsync();
        Assert.False(log.Exists);
        Assert.Equal(InstanceId.None, log.InstanceId);
        Assert.Empty(await LogHarness.ReadAllAsync(log, Lsn.None.Next));
        await using WriteAheadLog again = await OpenAsync();
        Assert.False(again.Exists);
    }

    [Fact]
    public async Task Appended_messages_come_back_in_order_after_a_restart()
    {
        InstanceId id;
        await using (LogHarness writer = await StartAsync())
        {
            Assert.True(writer.Start.IsNew);
            Assert.Equal(new Epoch(1), writer.Start.Epoch);
            await writer.AppendAsync(Bytes("one"), Bytes("two"), Bytes("three"));
            Assert.Equal(new Lsn(3), writer.Appender.DurableLsn);
            Assert.Equal([1UL, 2, 3], writer.Sink.Durable.Select(record => record.Header.Lsn.Value));
            id = writer.Start.InstanceId;
        }

        await using LogHarness next = await StartAsync();
        Assert.False(next.Start.IsNew);
        Assert.Equal(new Epoch(2), next.Start.Epoch);
        Assert.Equal(new Lsn(3), next.Start.LastLsn);
        Assert.Equal(id, next.Start.InstanceId);
        List<(Lsn Lsn, byte[] Body)> records = await LogHarness.ReadAllAsync(next.Log, new Lsn(1));
        Assert.Equal(["one", "two", "three"], records.Select(record => Encoding.UTF8.GetString(record.Body[..^4])));
        await next.AppendAsync(Bytes("four"));
        Assert.Equal(4, (await LogHarness.ReadAllAsync(next.Log, new Lsn(1))).Count);
        Assert.Equal(new Lsn(4), Assert.Single(await LogHarness.ReadAllAsync(next.Log, new Lsn(4))).Lsn);
    }

    [Fact]
    public async Task A_record_is_delivered_only_when_it_is_durable_and_carries_kind_flags_and_trailer()
    {
        var sink = new CollectingSink();
        await using LogHarness writer = await StartAsync(sink: sink);
        sink.Observed = record => Assert.Equal(record.Header.Lsn, writer.Appender.DurableLsn);
        await writer.AppendAsync(Bytes("x"));
        writer.Appender.RequestFlush();
        await Poll.UntilAsync(() => sink.Durable.Count == 2);
        Assert.Equal(7, sink.Durable[0].Header.Kind);
        Assert.Equal(0, sink.Durable[0].Header.Flags);
        Assert.Equal([1, 0, 0, 0], sink.Durable[0].Trailer);
        Assert.Empty(sink.Durable[1].Payload);
        Assert.Equal(1, sink.Durable[1].Header.Flags);
        Assert.Equal(new Lsn(1), sink.Durable[1].Header.DurableThrough);
    }
}
