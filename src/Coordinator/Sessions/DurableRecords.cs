using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Errors;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>Durable records that are not in memory any more, read again from the log for the app.</summary>
internal sealed class DurableRecords(AppServices services)
{
    private LogReader? _reader;
    private Lsn _next;

    /// <summary>Reads a record; its header and body are the reader's until the next call.</summary>
    /// <exception cref="CoordinatorException">It cannot be read again.</exception>
    public async ValueTask<LogReader> ReadAsync(Lsn lsn)
    {
        if (_reader is null || _next != lsn)
        {
            await CloseAsync();
            _reader = services.Log.OpenReader(lsn);
        }

        ReadOutcome outcome = await _reader.ReadAsync();
        if (outcome == ReadOutcome.Trimmed && services.Position.HasFollowed)
        {
            throw CoreFailures.FellBehind(services.Log.Instance, lsn.Value);
        }

        if (outcome != ReadOutcome.Record || _reader.Header.Lsn != lsn)
        {
            throw RecordReader.Unreadable(lsn, outcome);
        }

        _next = lsn.Next;
        return _reader;
    }

    /// <summary>Closes what it reads.</summary>
    public async ValueTask CloseAsync()
    {
        if (_reader is not null)
        {
            await _reader.DisposeAsync();
            _reader = null;
        }
    }
}
