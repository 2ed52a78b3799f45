using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// Reads ahead of the replay, trailers only, for digests of records that were executed long before they were logged: after a long absence
/// of the app they stand after everything that waited for it. One record's digests are held at a time, instead of one for each record in
/// between.
/// </summary>
internal sealed class DigestLookahead(AppServices services)
{
    private const int RecordsInOneGo = 64;
    private readonly List<TurnDigest> _unmet = []; // Of the record read last: the app has yet to execute what they tell of.
    private LogReader? _reader;
    private bool _ended;

    /// <summary>True when there is something to look for, and somewhere to look.</summary>
    public bool IsDue => services.Check.IsBehind
        && (services.Check.IsWriters || (!_ended && (_reader is null || _reader.NextLsn <= services.Position.Durable)));

    /// <summary>Reads a few records, from <paramref name="next"/> on at first.</summary>
    public async ValueTask StepAsync(Lsn next)
    {
        if (_reader is null || _reader.NextLsn < next)
        {
            await CloseAsync();
            _reader = services.Log.OpenReader(next, endsOnly: true);
        }

        services.Sizes.Decided(CoreLimit.DigestsAhead);
        _unmet.RemoveAll(services.Check.Ahead);
        for (int i = 0; i < RecordsInOneGo && services.Check.IsBehind && _unmet.Count == 0; i++)
        {
            if (_ended || _reader.NextLsn > services.Position.Durable)
            {
                services.Check.NoneAhead();
                return;
            }

            if (await _reader.ReadAsync() != ReadOutcome.Record || await RecordReader.ReadTrailerAsync(_reader) is not { } trailer)
            {
                _ended = true; // Their delivery says what is wrong with them.
                services.Check.NoneAhead();
                return;
            }

            _unmet.AddRange(trailer.Turns);
            _unmet.RemoveAll(services.Check.Ahead);
        }

        if (_unmet.Count > 0)
        {
            services.Check.NoneBefore(_unmet.Min(static turn => turn.Lsn));
        }

        await Task.Yield(); // Files complete at once: everybody else on this context would wait for the log's end.
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
