using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.PowerCut.Tests.Writing;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;
using Ambrosia.SystemFaults.Tests.Shim;

namespace Ambrosia.SystemFaults.Tests.Writing;

/// <summary>
/// One life of the real log store on real files: it recovers, compares with what was promised, appends over several segments, takes
/// checkpoints, trims, ends. Whatever stops it must be an error with its code.
/// </summary>
internal sealed class FaultLife(string folder, Promise promise, Fault? fault, Random random)
{
    private static readonly LogStoreOptions s_options = new()
    {
        SegmentSize = 64 << 10, PageSize = 4096, ZeroAhead = 512 << 10, SpareSegments = 1, CheckpointBlockSize = 4096,
    };

    private readonly WatchedFatal _fatal = new();
    private int _failedCheckpoints;

    /// <summary>Bytes that the disk had no room for are no reason to fail a clean life: set where the disk is really full.</summary>
    public bool MayRefuse { get; init; } = fault is not null;

    /// <summary>Returns how it ended, in a few words.</summary>
    public async Task<string> RunAsync()
    {
        WriteAheadLog? log = null;
        ILogLease? lease = null;
        string outcome;
        try
        {
            log = await LogStores.OpenLogAsync("file:" + folder, "bank", s_options, new LogStoreEnvironment { Fatal = _fatal });
            lease = await log.TryAcquireAsync();
            outcome = lease is null ? "refused: lock held" : await WorkAsync(log, lease);
        }
        catch (LogStoreException error) when (MayRefuse)
        {
            outcome = Judge(error);
        }
        catch (FileFailedException) when (MayRefuse)
        {
            outcome = "refused: IC-1040"; // The coordinator's code for a file that it cannot use.
        }
        finally
        {
            await CloseAsync(log, lease);
        }

        return outcome;
    }

    private async Task<string> WorkAsync(WriteAheadLog log, ILogLease lease)
    {
        WriterStart start = await log.BecomeWriterAsync(lease);
        // A checkpoint that cannot be read gives way to the one before it: nothing is lost by that.
        var recovery = new Recovery(log, start, promise)
            { MaySkipCheckpoint = fault is { Call: "pread" or "open", Kind: "checkpoint" } };
        await recovery.VerifyAsync();
        var sink = new PromiseSink(promise, recovery.Reached);
        var watched = new WatchedSink(sink, _fatal);
        LogAppender appender = log.StartAppending(watched);
        try
        {
            await AppendAsync(log, appender, sink);
        }
        catch (IOException) when (_fatal.Death is not null)
        {
            // The log has failed; that is judged below.
        }

        if (watched.ConfirmedAfterDeath)
        {
            throw new BrokenPromiseException("a record was confirmed after the log had failed");
        }

        if (_fatal.Death is not { } death)
        {
            return _failedCheckpoints > 0 ? "checkpoint failed, went on" : "went on";
        }

        RequireNoSecondTry();
        return Known(death.Line, death.ExitCode) ? "stopped: " + death.Line[..7]
            : throw new BrokenPromiseException($"the log ended with code {death.ExitCode}: {death.Line}");
    }

    private async Task AppendAsync(WriteAheadLog log, LogAppender appender, PromiseSink sink)
    {
        for (int i = 0; i < 40; i++)
        {
            int publisher = random.Next(Promise.Publishers);
            int size = Message.HeaderSize + random.Next(50, i % 9 == 0 ? 20_000 : 3_000);
            PageReservation room;
            while (!appender.TryReserve(size, out room))
            {
                await appender.WaitForPageAsync();
            }

            Message.Write(room.Span, publisher, ++promise.Begun[publisher]);
            PromiseSink.Count(room.PageContext);
            room.Publish();
            await appender.FlushAsync();
            if (i % 12 == 11)
            {
                await CheckpointAsync(log, sink);
            }
        }
    }

    private async Task CheckpointAsync(WriteAheadLog log, PromiseSink sink)
    {
        (ulong lsn, long[] reached) = sink.Position;
        promise.CheckpointBegun(lsn, reached);
        try
        {
            await using CheckpointWriter checkpoint = log.BeginCheckpoint(new Lsn(lsn));
            await checkpoint.WriteAsync(CheckpointContent.Write(lsn, reached, random.Next(100, 20_000)));
            await checkpoint.CompleteAsync();
            promise.CheckpointIsDurable(lsn);
            await log.TrimAsync();
        }
        catch (CheckpointFailedException) when (MayRefuse)
        {
            _failedCheckpoints++;
        }
        catch (FileFailedException) when (MayRefuse)
        {
            _failedCheckpoints++; // From trimming, which the housekeeper would try again later.
        }
    }

    /// <summary>After a failed sync a second one may say yes to bytes that are gone.</summary>
    private void RequireNoSecondTry()
    {
        if (fault is { Kind: "segment", Call: "fdatasync" or "fsync" } && FaultShim.After() > 0)
        {
            throw new BrokenPromiseException($"after the failed sync the segment was written or synced {FaultShim.After()} more times");
        }
    }

    private static string Judge(LogStoreException error) => error is not LogCorruptException && Known(error.Message, (int)error.ExitCode)
        ? "refused: " + error.Code
        : throw new BrokenPromiseException($"the log was refused with code {(int)error.ExitCode}: {error.Message}");

    // Nothing is damaged, so nothing may be called damaged; every line says code, what, where, what is safe and what to do.
    private static bool Known(string line, int exitCode) =>
        line.StartsWith("IC-", StringComparison.Ordinal) && line.Count(static c => c == '|') >= 3
        && exitCode is (int)ExitCode.DeviceFailed or (int)ExitCode.LeaseLost;

    private async Task CloseAsync(WriteAheadLog? log, ILogLease? lease)
    {
        try
        {
            if (log is not null)
            {
                await log.DisposeAsync();
            }

            if (lease is not null)
            {
                await lease.DisposeAsync();
            }
        }
        catch (IOException) when (MayRefuse)
        {
            // A close that fails says nothing that matters: everything confirmed was synced.
        }
    }
}
