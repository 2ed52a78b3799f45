using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.PowerCut.Tests.Volumes;
using Ambrosia.Primitives;

namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>One life of a writer: it recovers, compares, works under the real log store on the real file system, and loses its
/// power.</summary>
internal sealed class Life(Volume volume, Promise promise, PowerSwitch power, LogStoreOptions options, Random random)
{
    /// <summary>What it was doing when the power went.</summary>
    public string Phase { get; private set; } = "opening";

    public LifeResult Result { get; } = new();

    /// <summary>Returns when the power is off and every file is closed.</summary>
    /// <param name="latest">Time after which the power goes if it has not gone before; null to only recover and compare.</param>
    public async Task RunAsync(TimeSpan? latest)
    {
        using var timer = new Timer(_ => power.Cut(), null, latest ?? Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        var environment = new LogStoreEnvironment { Files = new SwitchedFiles(power), Fatal = new IgnoredFatal() };
        WriteAheadLog? log = null;
        ILogLease? lease = null;
        try
        {
            log = await LogStores.OpenLogAsync("file:" + Path.Combine(volume.Folder, "store"), "bank", options, environment);
            lease = await log.TryAcquireAsync() ?? throw new BrokenPromiseException("the lease of a machine without power is still held");
            WriterStart start = await log.BecomeWriterAsync(lease);
            Phase = "recovering";
            var recovery = new Recovery(log, start, promise);
            await recovery.VerifyAsync();
            Result.Recovered(start, recovery);
            Phase = "working";
            if (latest is null)
            {
                return;
            }

            await WorkAsync(log, recovery.Reached);
        }
        catch (Exception error) when (power.IsGoing && error is IOException and not LogCorruptException)
        {
            // The power went; that nothing was confirmed wrongly is seen in the next life.
        }
        finally
        {
            power.Cut();
            await CloseAsync(log, lease);
        }
    }

    private async Task WorkAsync(WriteAheadLog log, long[] reached)
    {
        var sink = new PromiseSink(promise, reached);
        LogAppender appender = log.StartAppending(sink);
        var full = new SemaphoreSlim(0);
        log.SegmentRolled = _ =>
        {
            Result.Segments++;
            full.Release();
        };
        int publishers = random.Next(1, Promise.Publishers + 1);
        int[] seeds = [.. Enumerable.Range(0, publishers + 1).Select(_ => random.Next())];
        Task[] work =
        [
            .. Enumerable.Range(0, publishers)
            .Select(publisher => Task.Run(() => PublishAsync(appender, publisher, new Random(seeds[publisher])))),
            Task.Run(() => CheckpointAsync(log, sink, full, new Random(seeds[^1]))),
        ];
        await power.Off;
        await Task.WhenAll(work);
    }

    private async Task PublishAsync(LogAppender appender, int publisher, Random random)
    {
        try
        {
            while (!power.IsOff)
            {
                int size = Message.HeaderSize + (random.Next(12) switch
                {
                    0 => random.Next(20_000, 60_000), // Larger than a page: a record of its own.
                    < 4 => random.Next(2_000, 9_000),
                    _ => random.Next(0, 400),
                });
                PageReservation room;
                while (!appender.TryReserve(size, out room))
                {
                    await appender.WaitForPageAsync();
                }

                long number = Interlocked.Increment(ref promise.Begun[publisher]);
                Message.Write(room.Span, publisher, number);
                PromiseSink.Count(room.PageContext);
                room.Publish();
                if (random.Next(3) == 0)
                {
                    await appender.FlushAsync();
                    Result.Flushes++;
                }
            }
        }
        catch (Exception error) when (power.IsGoing && error is IOException or ObjectDisposedException)
        {
            // The log has failed, as it must.
        }
        catch (IOException error)
        {
            throw new BrokenPromiseException($"the log failed under power: {error.Message}");
        }
    }

    private async Task CheckpointAsync(WriteAheadLog log, PromiseSink sink, SemaphoreSlim full, Random random)
    {
        ulong last = 0;
        try
        {
            while (!power.IsOff)
            {
                await Task.WhenAny(full.WaitAsync(random.Next(3, 25)), power.Off);
                (ulong lsn, long[] reached) = sink.Position;
                if (lsn == last)
                {
                    continue;
                }

                last = lsn;
                promise.CheckpointBegun(lsn, reached);
                await using CheckpointWriter checkpoint = log.BeginCheckpoint(new Lsn(lsn));
                await checkpoint.WriteAsync(CheckpointContent.Write(lsn, reached, random.Next(0, 60_000)));
                await checkpoint.CompleteAsync();
                promise.CheckpointIsDurable(lsn);
                Result.Checkpoints++;
            }
        }
        catch (Exception error) when (power.IsGoing && error is IOException or OperationCanceledException)
        {
            // A checkpoint that was not completed was promised to nobody.
        }
        catch (IOException error)
        {
            throw new BrokenPromiseException($"a checkpoint failed under power: {error.Message}");
        }
    }

    private async Task CloseAsync(WriteAheadLog? log, ILogLease? lease)
    {
        try
        {
            if (log is not null)
            {
                await log.DisposeAsync();
            }
        }
        catch (Exception error) when (power.IsGoing && error is IOException)
        {
            // Closing says what the calls before have said.
        }

        if (lease is not null)
        {
            await lease.DisposeAsync();
        }

        await power.CloseAsync();
    }
}
