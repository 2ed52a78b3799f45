using Ambrosia.Inspection;
using Ambrosia.Inspection.Log;
using Ambrosia.Protocol;

namespace Ambrosia.Cli.History.Tracing;

/// <summary>One of the logs through which messages are followed.</summary>
internal sealed class TracedLog
{
    private const int KeptRecords = 256;
    private readonly PageLog _log;
    private readonly Dictionary<ulong, PageRecord> _records = [];
    private readonly Queue<ulong> _order = [];

    private TracedLog(PageLog log, CallIndex calls) => (_log, Calls) = (log, calls);

    /// <summary>Calls and answers in it.</summary>
    public CallIndex Calls { get; }

    /// <summary>Reads a log to its present end.</summary>
    public static async Task<TracedLog> OpenAsync(PageLog log, CancellationToken cancellationToken)
    {
        do
        {
            cancellationToken.ThrowIfCancellationRequested();
            await log.AdvanceAsync();
        }
        while (!log.IsComplete);

        return new TracedLog(log, await CallIndex.ReadAsync(log, cancellationToken));
    }

    /// <summary>The record of a message; null if it is not kept, or not there yet.</summary>
    public async Task<PageRecord?> ReadAsync(ulong lsn)
    {
        if (_records.TryGetValue(lsn, out PageRecord? known))
        {
            return known;
        }

        if (lsn > _log.Index.LastLsn || await _log.ReadAsync(lsn) is not { } record)
        {
            return null;
        }

        _records.Add(lsn, record);
        _order.Enqueue(lsn);
        if (_order.Count > KeptRecords)
        {
            _records.Remove(_order.Dequeue());
        }

        return record;
    }

    /// <summary>
    /// The messages of which one sent another instance, or this one, its message of this number; none where that cannot be told.
    /// </summary>
    public IReadOnlyList<MessagePosition> SendersOf(string destination, ulong number)
    {
        LogIndex index = _log.Index;
        if (index.SourceOf(destination, number) is not { } source || source.Lsn < index.FirstLsn || source.Lsn > index.LastLsn)
        {
            return [];
        }

        int count = (int)(index.EndOf((int)(source.Lsn - index.FirstLsn)) - index.StartOf(source.Lsn));
        return [.. Enumerable.Range(0, count).Select(i => new MessagePosition(source.Lsn, i))];
    }
}
