using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Storage;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests.Support;

/// <summary>A writer with its sink, as a coordinator would hold it.</summary>
public sealed class LogHarness : IAsyncDisposable
{
    private LogHarness(WriteAheadLog log, ILogLease lease, WriterStart start, CollectingSink sink, LogAppender appender) =>
        (Log, Lease, Start, Sink, Appender) = (log, lease, start, sink, appender);

    public WriteAheadLog Log { get; }

    public ILogLease Lease { get; }

    public WriterStart Start { get; }

    public CollectingSink Sink { get; }

    public LogAppender Appender { get; }

    public static async Task<LogHarness> StartAsync(WriteAheadLog log, CollectingSink? sink = null)
    {
        ILogLease lease = await log.TryAcquireAsync() ?? throw new InvalidOperationException("The lease is held by another.");
        try
        {
            WriterStart start = await log.BecomeWriterAsync(lease);
            sink ??= new CollectingSink();
            return new LogHarness(log, lease, start, sink, log.StartAppending(sink));
        }
        catch (LogStoreException)
        {
            await lease.DisposeAsync();
            throw;
        }
    }

    /// <summary>Publishes one message without waiting for its durability.</summary>
    public Task PublishAsync(byte[] message) => PublishAsync(Appender, message);

    /// <summary>The same to an appender without harness.</summary>
    public static async Task PublishAsync(LogAppender appender, byte[] message)
    {
        PageReservation room;
        while (!appender.TryReserve(message.Length, out room))
        {
            await appender.WaitForPageAsync();
        }

        message.CopyTo(room.Span);
        CollectingSink.Count(room.PageContext);
        room.Publish();
    }

    /// <summary>One record per message.</summary>
    public async Task AppendAsync(params byte[][] messages)
    {
        foreach (byte[] message in messages)
        {
            await PublishAsync(message);
            await Appender.FlushAsync();
        }
    }

    public async Task CheckpointAsync(Lsn lsn, params byte[][] parts)
    {
        await using CheckpointWriter writer = Log.BeginCheckpoint(lsn);
        foreach (byte[] part in parts)
        {
            await writer.WriteAsync(part);
        }

        await writer.CompleteAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await Log.DisposeAsync();
        await Lease.DisposeAsync();
    }

    /// <summary>Bodies of all records that a reader returns before it ends.</summary>
    public static async Task<List<(Lsn Lsn, byte[] Body)>> ReadAllAsync(WriteAheadLog log, Lsn from, ReadLimit limit = ReadLimit.Durable,
        ReadOutcome ending = ReadOutcome.EndOfLog)
    {
        var records = new List<(Lsn, byte[])>();
        await using LogReader reader = log.OpenReader(from, limit);
        ReadOutcome outcome;
        while ((outcome = await reader.ReadAsync()) == ReadOutcome.Record)
        {
            records.Add((reader.Header.Lsn, reader.Body.ToArray()));
        }

        Assert.Equal(ending, outcome);
        return records;
    }
}
