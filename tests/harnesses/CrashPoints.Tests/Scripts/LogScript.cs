using Ambrosia.CrashPoints.Tests.States;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.CrashPoints.Tests.Scripts;

/// <summary>
/// Lives of the real log store: records of many sizes, new segments, checkpoints, retention, used segments written again, an epoch with
/// each life. What a record holds follows from its LSN, so that one that nobody has written is known.
/// </summary>
internal sealed class LogScript(LogStoreOptions options, int lives, int records, int largest, int checkpointEvery, CrashTally tally)
{
    public Promises Promised { get; private init; } = new();

    /// <summary>Runs all lives on this disk; a failing disk ends it.</summary>
    public async Task RunAsync(MemoryFileSystem disk)
    {
        for (int life = 0; life < lives; life++)
        {
            await LiveAsync(disk);
        }
    }

    /// <summary>The next life after a crash: null if everything that was promised holds and nothing else is there.</summary>
    public string? Recover(MemoryFileSystem disk)
    {
        // What this life promises is its own affair: others begin at the same crash.
        var next = new LogScript(options, 1, 2, largest, 2, tally) { Promised = Promised with { } };
        string? violation = null;
        try
        {
            SingleThread.Run(async () => violation = await next.RecoverAsync(disk));
        }
        catch (Exception error) when (error is IOException or InvalidOperationException or Xunit.Sdk.XunitException)
        {
            return $"promised {Promised}: {error.GetType().Name} {error.Message}";
        }

        return violation is null ? null : $"promised {Promised}: {violation}";
    }

    /// <summary>The next life after the death of a process alone, whose promises this script goes on keeping.</summary>
    public string? Continue(MemoryFileSystem disk)
    {
        var next = new LogScript(options, 1, 3, largest, 2, tally) { Promised = Promised };
        string? violation = null;
        SingleThread.Run(async () => violation = await next.RecoverAsync(disk));
        return violation;
    }

    private async Task<string?> RecoverAsync(MemoryFileSystem disk)
    {
        string? violation = null;
        await OpenAsync(disk, async (log, start) =>
        {
            tally.TornTails += start.TornBytes > 0 ? 1 : 0;
            tally.UnacknowledgedKept += start.LastLsn.Value > Promised.Acknowledged ? 1 : 0;
            violation = start.Epoch.Value <= Promised.Epoch ? $"epoch {start.Epoch} was told before"
                : start.LastLsn.Value < Promised.Acknowledged ? $"only {start.LastLsn} records are there"
                : await VerifyAsync(log);
            Promised.Epoch = start.Epoch.Value;
            if (violation is null)
            {
                await WorkAsync(log);
            }
        });
        return violation;
    }

    private async Task<string?> VerifyAsync(WriteAheadLog log)
    {
        Lsn from = Lsn.None.Next;
        await using (CheckpointReader? checkpoint = await log.OpenNewestValidCheckpointAsync())
        {
            if ((checkpoint?.Lsn.Value ?? 0) < Promised.Checkpoint)
            {
                return $"the newest checkpoint is at {checkpoint?.Lsn.Value ?? 0}";
            }

            if (checkpoint is not null)
            {
                tally.FromCheckpoint++;
                from = checkpoint.Lsn.Next;
                ReadOnlyMemory<byte> state = await checkpoint.ReadAsync();
                if (state.IsEmpty || state.Span.IndexOfAnyExcept((byte)checkpoint.Lsn.Value) >= 0)
                {
                    return $"the checkpoint at {checkpoint.Lsn} holds something else";
                }
            }
        }

        await using LogReader reader = log.OpenReader(from);
        Lsn expected = from;
        for (; await reader.ReadAsync() == ReadOutcome.Record; expected = expected.Next)
        {
            if (reader.Header.Lsn != expected || reader.Body.Length != SizeOf(expected)
                || reader.Body.Span.IndexOfAnyExcept((byte)expected.Value) >= 0)
            {
                return $"record {reader.Header.Lsn} at {expected} was never written so";
            }
        }

        return expected.Value > Promised.Acknowledged ? null : $"reading ends before {expected}";
    }

    private async Task LiveAsync(MemoryFileSystem disk) => await OpenAsync(disk, async (log, start) =>
    {
        Promised.Epoch = start.Epoch.Value;
        await WorkAsync(log);
    });

    private async Task OpenAsync(MemoryFileSystem disk, Func<WriteAheadLog, WriterStart, Task> act)
    {
        MemoryProcess process = disk.NewProcess();
        var environment = new LogStoreEnvironment { Memory = process, Loops = new InlineLoopRunner(), Fatal = new RecordingFatal(),
            Entropy = new FixedEntropy(), Time = new ManualTime() };
        try
        {
            WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "bank", options, environment);
            ILogLease lease = await log.TryAcquireAsync()
                ?? throw new InvalidOperationException("the lock of a dead process is still held");
            await act(log, await log.BecomeWriterAsync(lease));
        }
        finally
        {
            process.Kill(); // Without a farewell.
        }
    }

    private async Task WorkAsync(WriteAheadLog log)
    {
        LogAppender appender = log.StartAppending(new Sink(lsn => Promised.Acknowledged = lsn));
        for (int i = 1; i <= records; i++)
        {
            Lsn lsn = log.DurableLsn.Next;
            PageReservation room;
            while (!appender.TryReserve(SizeOf(lsn), out room))
            {
                await appender.WaitForPageAsync();
            }

            room.Span.Fill((byte)lsn.Value);
            room.Publish();
            await appender.FlushAsync();
            if (i % checkpointEvery == 0)
            {
                await CheckpointAsync(log, lsn);
            }
        }
    }

    private async Task CheckpointAsync(WriteAheadLog log, Lsn lsn)
    {
        await using CheckpointWriter checkpoint = log.BeginCheckpoint(lsn);
        byte[] state = new byte[Math.Max(1, largest * 2 / 3)];
        Array.Fill(state, (byte)lsn.Value);
        await checkpoint.WriteAsync(state);
        await checkpoint.CompleteAsync();
        Promised.Checkpoint = lsn.Value;
        await log.TrimAsync();
    }

    private int SizeOf(Lsn lsn) => 1 + (int)(lsn.Value * 7919 % (ulong)largest);

    private sealed class Sink(Action<ulong> durable) : IRecordSink
    {
        public object CreatePageContext() => this;

        public int MaxTrailerSize(object pageContext) => 0;

        public int WriteTrailer(object pageContext, ReadOnlySpan<byte> payload, Span<byte> destination, ref RecordDraft draft) => 0;

        public void OnDurable(DurableRecord record)
        {
            durable(record.Header.Lsn.Value);
            record.Dispose();
        }
    }
}
