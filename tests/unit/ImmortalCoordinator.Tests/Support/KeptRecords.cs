using System.Collections.Concurrent;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>Keeps the records of a log as they become durable.</summary>
internal sealed class KeptRecords : IRecordSink
{
    private readonly ConcurrentQueue<DurableRecord> _records = new();

    public static async Task<IReadOnlyList<DurableRecord>> MakeAsync(int count)
    {
        await using WriteAheadLog log =
            await LogStores.OpenLogAsync("memory:", "records", new LogStoreOptions(), new LogStoreEnvironment());
        await using var lease = await log.AcquireAsync(CancellationToken.None);
        await log.BecomeWriterAsync(lease);
        var kept = new KeptRecords();
        LogAppender appender = log.StartAppending(kept);
        for (int i = 0; i < count; i++)
        {
            Assert.True(appender.TryReserve(16, out PageReservation room));
            room.Publish();
            await appender.FlushAsync();
        }

        return [.. kept._records];
    }

    public object CreatePageContext() => this;

    public int MaxTrailerSize(object pageContext) => 0;

    public int WriteTrailer(object pageContext, ReadOnlySpan<byte> payload, Span<byte> destination, ref RecordDraft draft) => 0;

    public void OnDurable(DurableRecord record) => _records.Enqueue(record);
}
