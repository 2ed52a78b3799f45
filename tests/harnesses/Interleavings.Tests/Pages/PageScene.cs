using System.Buffers.Binary;
using Ambrosia.Interleavings.Tests.Schedules;
using Ambrosia.Interleavings.Tests.Sending;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;

namespace Ambrosia.Interleavings.Tests.Pages;

/// <summary>One schedule of a real log: writers, callers that ask for flushes, and the log's own loops, on a disk in memory.</summary>
internal sealed class PageScene(IStrategy strategy, PageScript script) : IRecordSink, IDisposable
{
    private const int MessageHeader = 12;
    private static readonly LogStoreOptions s_options = new()
        { PageSize = 4096, PageCount = 2, SegmentSize = 64 * 1024, ZeroAhead = 0, SpareSegments = 0 };
    // One step, and never a second.
    private static readonly LogStoreOptions s_zeroing = s_options with { SegmentSize = 1 << 20, ZeroAhead = 300 * 1024 };
    private readonly Baton _baton = new(strategy, mostSteps: 5_000);
    private readonly List<(int Writer, int Number)> _durable = [];
    private readonly Dictionary<(int Writer, int Number), TaskCompletionSource> _awaited = [];
    private int[] _published = [];
    private ulong _lastLsn;

    public int Steps => _baton.Steps;

    public int Switches => _baton.Switches;

    public ulong Hash => _baton.Hash;

    public int Records { get; private set; }

    public int Waits { get; private set; }

    /// <summary>Null if all is well, else what is wrong.</summary>
    public string? Run()
    {
        var disk = new MemoryFileSystem();
        // Nothing depends on how quick the disk is: the clock stands.
        var environment = new LogStoreEnvironment
            { Memory = disk, Loops = _baton, Fatal = new NoDeath(), Probe = _baton, Time = new ModelTime() };
        // On a disk in memory without faults all of this completes at once.
        WriteAheadLog log = Completed(LogStores.OpenLogAsync("memory:", "bank", script.Zeros ? s_zeroing : s_options, environment));
        ILogLease lease = Completed(log.TryAcquireAsync())!;
        Completed(log.BecomeWriterAsync(lease));
        LogAppender appender = log.StartAppending(this);
        disk.Faults = script.Zeros ? new DiskSteps(_baton) : null;
        _published = new int[script.Writers.Count];
        Task[] writers = [.. script.Writers.Select((sizes, writer) =>
            _baton.Start($"writer {writer}", () => WriteAsync(appender, writer, sizes)))];
        Task[] flushers = [.. Enumerable.Range(0, script.Flushers)
            .Select(number => _baton.Start($"flusher {number}", () => FlushAsync(appender)))];
        _baton.Start("closer", () => CloseAsync(log, [.. writers, .. flushers]));
        _baton.Run();
        disk.Faults = null;
        CheckEnd();
        CheckLog(environment);
        return _baton.Violation;
    }

    public void Dispose() => _baton.Dispose();

    object IRecordSink.CreatePageContext() => this;

    int IRecordSink.MaxTrailerSize(object pageContext) => 0;

    int IRecordSink.WriteTrailer(object pageContext, ReadOnlySpan<byte> payload, Span<byte> destination, ref RecordDraft draft) => 0;

    void IRecordSink.OnDurable(DurableRecord record)
    {
        _baton.Require(record.Header.Lsn.Value == ++_lastLsn, $"record {record.Header.Lsn} after {_lastLsn - 1}");
        Records++;
        for (ReadOnlySpan<byte> rest = record.Payload.Span; rest.Length > 0;)
        {
            int size = rest.Length < MessageHeader ? 0 : BinaryPrimitives.ReadInt32LittleEndian(rest[8..]);
            if (size < MessageHeader || size > rest.Length)
            {
                _baton.Require(false,
                    $"record {record.Header.Lsn} holds a message that nobody has finished, {rest.Length} bytes before its end");
                break;
            }

            (int writer, int number) = (BinaryPrimitives.ReadInt32LittleEndian(rest), BinaryPrimitives.ReadInt32LittleEndian(rest[4..]));
            _baton.Require(rest[MessageHeader..size].IndexOfAnyExcept((byte)(writer + number + 1)) < 0,
                $"message {number} of writer {writer} is not what it wrote");
            _durable.Add((writer, number));
            if (_awaited.TryGetValue((writer, number), out TaskCompletionSource? awaited))
            {
                awaited.SetResult();
            }

            rest = rest[size..];
        }

        record.Dispose();
    }

    private static T Completed<T>(ValueTask<T> task) =>
        task.IsCompleted ? task.AsTask().Result : throw new InvalidOperationException("a disk in memory waits for nothing");

    private async Task WriteAsync(LogAppender appender, int writer, int[] sizes)
    {
        for (int number = 0; number < sizes.Length; number++)
        {
            PageReservation room;
            while (!appender.TryReserve(sizes[number], out room))
            {
                Waits++;
                await appender.WaitForPageAsync();
            }

            // A writer that is interrupted between reservation and publication holds the page, and none may write it meanwhile.
            room.Span.Clear();
            _baton.BeforeStep();
            BinaryPrimitives.WriteInt32LittleEndian(room.Span, writer);
            BinaryPrimitives.WriteInt32LittleEndian(room.Span[4..], number);
            BinaryPrimitives.WriteInt32LittleEndian(room.Span[8..], sizes[number]);
            room.Span[MessageHeader..].Fill((byte)(writer + number + 1));
            Publish(appender, room, commits: writer < script.Committing);
            _published[writer] = number + 1;
        }

        await UntilDurableAsync(writer, sizes.Length - 1);
    }

    /// <summary>Nobody flushes for it: what the committer overlooks is durable only when the log ends, which it does not before its
    /// writers.</summary>
    private Task UntilDurableAsync(int writer, int number)
    {
        if (_durable.Contains((writer, number)))
        {
            return Task.CompletedTask;
        }

        var durable = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _awaited.Add((writer, number), durable);
        return durable.Task;
    }

    private static void Publish(LogAppender appender, in PageReservation room, bool commits)
    {
        if (commits)
        {
            room.PublishQuietly();
            appender.Commit();
        }
        else
        {
            room.Publish();
        }
    }

    private async Task FlushAsync(LogAppender appender)
    {
        for (int i = 0; i < 2; i++)
        {
            int[] published = [.. _published];
            await appender.FlushAsync();
            for (int writer = 0; writer < published.Length; writer++)
            {
                int durable = _durable.Count(message => message.Writer == writer);
                _baton.Require(durable >= published[writer],
                    $"writer {writer} had published {published[writer]} messages before a flush that ended with {durable} of them durable");
            }

            appender.RequestFlush();
        }
    }

    private static async Task CloseAsync(WriteAheadLog log, Task[] others)
    {
        await Task.WhenAll(others);
        await log.DisposeAsync();
    }

    private void CheckEnd()
    {
        for (int writer = 0; writer < script.Writers.Count && _baton.Violation is null; writer++)
        {
            int[] got = [.. _durable.Where(message => message.Writer == writer).Select(message => message.Number)];
            _baton.Require(got.SequenceEqual(Enumerable.Range(0, script.Writers[writer].Length)),
                $"of {script.Writers[writer].Length} messages of writer {writer} these are durable: {string.Join(' ', got)}");
        }
    }

    /// <summary>What was declared durable is in the log.</summary>
    private void CheckLog(LogStoreEnvironment environment)
    {
        if (_baton.Violation is not null)
        {
            return;
        }

        LogReader reader = Completed(LogStores.OpenLogAsync("memory:", "bank", s_options, environment))
            .OpenReader(Lsn.None, ReadLimit.Everything);
        ulong records = 0;
        ReadOutcome outcome;
        while ((outcome = Completed(reader.ReadAsync())) == ReadOutcome.Record)
        {
            records++;
        }

        _baton.Require(records == _lastLsn
            && outcome == ReadOutcome.EndOfLog, $"{records} records can be read of {_lastLsn}, then {outcome}");
    }

    /// <summary>A thread that calls the disk may be interrupted before.</summary>
    private sealed class DiskSteps(Baton baton) : IFileFaults
    {
        public ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            baton.BeforeStep();
            return new(FileFault.None);
        }
    }

    private sealed class NoDeath : IFatal
    {
        public void Die(int exitCode, string line) => throw new InvalidOperationException(line);
    }
}
