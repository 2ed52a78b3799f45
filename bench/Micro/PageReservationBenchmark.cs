using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Bench;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using BenchmarkDotNet.Attributes;

namespace Ambrosia.Bench.Micro;

/// <summary>Room for 16 bytes in the log's open page: a compare-and-swap, the copy, the publication; the flushes to a disk in memory take
/// their turns beside it.</summary>
public class PageReservationBenchmark
{
    private const int Count = 4096;
    private const int Size = 16;
    private readonly byte[] _message = new byte[Size];
    private readonly byte[] _page = new byte[Count * Size];
    private WriteAheadLog _log = null!;
    private ILogLease _lease = null!;
    private LogAppender _appender = null!;

    [GlobalSetup]
    public async Task OpenAsync()
    {
        _log = await LogStores.OpenLogAsync("memory:", "micro", new LogStoreOptions(), new LogStoreEnvironment());
        _lease = await _log.AcquireAsync(CancellationToken.None);
        await _log.BecomeWriterAsync(_lease);
        _appender = _log.StartAppending(new DiscardingSink());
    }

    [GlobalCleanup]
    public async Task CloseAsync()
    {
        await _log.DisposeAsync();
        await _lease.DisposeAsync();
    }

    [Benchmark(OperationsPerInvoke = Count)]
    public async Task ReserveCopyPublish()
    {
        for (int i = 0; i < Count; i++)
        {
            PageReservation room;
            while (!_appender.TryReserve(Size, out room))
            {
                await _appender.WaitForPageAsync();
            }

            _message.CopyTo(room.Span);
            room.Publish();
        }
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Count)]
    public int CopyOnly()
    {
        int offset = 0;
        for (int i = 0; i < Count; i++, offset += Size)
        {
            _message.CopyTo(_page.AsSpan(offset, Size));
        }

        return offset;
    }
}
