using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Bench;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;

// Usage: LogStore.Bench [folder] [seconds per figure]. Prints one JSON line per figure; the folder is removed at the end.
string folder = Directory.CreateDirectory(args.Length > 0 ? args[0]
    : Path.Combine(Path.GetTempPath(), $"ambrosia-bench-{Environment.ProcessId}")).FullName;
double seconds = args.Length > 1 ? double.Parse(args[1], CultureInfo.InvariantCulture) : 2;
try
{
    foreach (int size in (int[])[4096, 1 << 20])
    {
        await MeasureBareAsync(size, overwrite: false);
        await MeasureBareAsync(size, overwrite: true);
    }

    foreach (int size in (int[])[16, 4096, 65536])
    {
        await RunAsync($"latency-{size}", async (appender, _) =>
            Print($"append and sync {size} B, one at a time", await MeasureLatencyAsync(appender, size)));
    }

    foreach (int size in (int[])[16, 1024, 65536])
    {
        await RunAsync($"throughput-{size}", async (appender, sink) =>
            Print($"throughput {size} B", await MeasureThroughputAsync(appender, sink, size)));
    }

    await MeasureRecoveryAsync("throughput-65536");
    await MeasureRecoveryAsync("throughput-16");
}
finally
{
    Directory.Delete(folder, recursive: true);
}

async Task RunAsync(string instance, Func<LogAppender, DiscardingSink, Task> measure)
{
    await using WriteAheadLog log =
        await LogStores.OpenLogAsync("file:" + folder, instance, new LogStoreOptions(), new LogStoreEnvironment());
    await using ILogLease lease = await log.AcquireAsync(CancellationToken.None);
    await log.BecomeWriterAsync(lease);
    var sink = new DiscardingSink();
    await measure(log.StartAppending(sink), sink);
}

// What the device allows at this moment: compare the log's figures with these, not with another day's.
async Task MeasureBareAsync(int size, bool overwrite)
{
    IFileSystem files = SystemFiles.Create();
    await using IFile file = await files.OpenAsync(Path.Combine(folder, $"bare-{size}-{overwrite}"), FileOpening.CreateNew);
    byte[] block = new byte[size];
    long limit = 256 << 20;
    for (long offset = 0; overwrite && offset < limit; offset += size)
    {
        await file.WriteAsync(block, offset);
    }

    await file.SyncAsync();
    var times = new List<double>();
    long started = Stopwatch.GetTimestamp();
    for (long offset = 0; Stopwatch.GetElapsedTime(started).TotalSeconds < seconds; offset = overwrite ? (offset + size) % limit
        : offset + size)
    {
        long before = Stopwatch.GetTimestamp();
        await file.WriteAsync(block, offset);
        await file.SyncDataAsync();
        times.Add(Stopwatch.GetElapsedTime(before).TotalMicroseconds);
    }

    double elapsed = Stopwatch.GetElapsedTime(started).TotalSeconds;
    times.Sort();
    Print($"bare {(overwrite ? "overwrite" : "append")} and fdatasync {size} B", new
        { p50_us = times[times.Count / 2], p99_us = times[times.Count * 99 / 100], mb_per_s = times.Count / elapsed * size / 1e6 });
}

async Task<object> MeasureLatencyAsync(LogAppender appender, int size)
{
    var times = new List<double>();
    for (long started = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(started).TotalSeconds < seconds;)
    {
        long before = Stopwatch.GetTimestamp();
        appender.TryReserve(size, out PageReservation room);
        room.Publish();
        await appender.FlushAsync();
        times.Add(Stopwatch.GetElapsedTime(before).TotalMicroseconds);
    }

    times.Sort();
    return new { count = times.Count, p50_us = times[times.Count / 2], p99_us = times[times.Count * 99 / 100],
        p999_us = times[times.Count * 999 / 1000] };
}

async Task<object> MeasureThroughputAsync(LogAppender appender, DiscardingSink sink, int size)
{
    long allocatedBefore = GC.GetTotalAllocatedBytes();
    long messages = 0;
    long started = Stopwatch.GetTimestamp();
    byte[] message = new byte[size];
    while (Stopwatch.GetElapsedTime(started).TotalSeconds < seconds)
    {
        for (int i = 0; i < 64; i++, messages++)
        {
            PageReservation room;
            while (!appender.TryReserve(size, out room))
            {
                await appender.WaitForPageAsync();
            }

            message.CopyTo(room.Span);
            room.Publish();
        }
    }

    await appender.FlushAsync();
    double elapsed = Stopwatch.GetElapsedTime(started).TotalSeconds;
    return new
    {
        messages_per_s = messages / elapsed,
        mb_per_s = sink.Bytes / elapsed / 1e6,
        allocated_bytes_per_message = (GC.GetTotalAllocatedBytes() - allocatedBefore) / (double)messages,
    };
}

async Task MeasureRecoveryAsync(string instance)
{
    long started = Stopwatch.GetTimestamp();
    await using WriteAheadLog log =
        await LogStores.OpenLogAsync("file:" + folder, instance, new LogStoreOptions(), new LogStoreEnvironment());
    await using ILogLease lease = await log.AcquireAsync(CancellationToken.None);
    await log.BecomeWriterAsync(lease);
    double opened = Stopwatch.GetElapsedTime(started).TotalMilliseconds;
    started = Stopwatch.GetTimestamp();
    await using LogReader reader = log.OpenReader(Lsn.None);
    (long bytes, long records) = (0, 0);
    while (await reader.ReadAsync() == ReadOutcome.Record)
    {
        (bytes, records) = (bytes + reader.Body.Length, records + 1);
    }

    double elapsed = Stopwatch.GetElapsedTime(started).TotalSeconds;
    Print($"recovery of {instance} (warm)", new { open_ms = opened, records, gb = bytes / 1e9, mb_per_s = bytes / elapsed / 1e6 });
}

static void Print(string figure, object values) =>
    Console.WriteLine($"{{\"figure\":\"{figure}\",\"values\":{JsonSerializer.Serialize(values)}}}");
