using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Inspection.Log;
using Ambrosia.Inspection.Search;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;

namespace Ambrosia.Inspection;

/// <summary>
/// A log that the page shows: a view of its own of the store, which locks nothing and writes nothing, and an index that is read in slices,
/// so that no request works for long. Requests that come at the same time wait for one another.
/// </summary>
public sealed class PageLog : IAsyncDisposable
{
    private const int LongestSkip = 4096;
    private const int MostSearches = 3;
    private readonly WriteAheadLog _view;
    private readonly PageLogOptions _options;
    private readonly List<TextSearch> _searches = [];
    private readonly ITimer _idle;
    private LogReader? _scanner;
    private LogReader? _reader;
    private PageRecord? _recent;

    public PageLog(WriteAheadLog view, PageLogOptions options)
    {
        (_view, _options) = (view, options);
        Index = new LogIndex(options.MaxMessages);
        _idle = options.Time.CreateTimer(_ => _ = ReleaseAsync(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Taken while it is used.</summary>
    public SemaphoreSlim Gate { get; } = new(1, 1);

    /// <summary>Instance whose log it is.</summary>
    public string Instance => _view.Instance;

    /// <summary>True while more may come.</summary>
    public bool IsLive => _options.Limit == ReadLimit.Durable;

    /// <summary>What is known of all messages.</summary>
    public LogIndex Index { get; private set; }

    /// <summary>True when the index had reached the end of the log.</summary>
    public bool IsComplete { get; private set; }

    /// <summary>
    /// Counts the times that the index was begun anew, because the log had deleted what was to be read: ordinals of different generations
    /// mean different messages.
    /// </summary>
    public int Generation { get; private set; }

    /// <summary>How much of the log has been read, by its segments: from 0 to 1.</summary>
    public double Progress => IsComplete || _view.Segments.Count == 0
        ? 1
        : (double)_view.Segments.Count(segment => segment.FirstLsn.Value <= Index.LastLsn) / (_view.Segments.Count + 1);

    /// <summary>Checkpoints, newest first.</summary>
    public IEnumerable<ulong> Checkpoints => _view.Checkpoints.Select(static checkpoint => checkpoint.Lsn.Value);

    /// <summary>Contracts that lie in its store, if that is a service.</summary>
    public ValueTask<IReadOnlyList<string>> ReadContractsAsync() => _view.ReadContractsAsync();

    /// <summary>Reads on, until the end or until the time for one request is up.</summary>
    public async Task AdvanceAsync()
    {
        Func<bool> isTimeUp = Budget();
        _idle.Change(_options.KeptFor, Timeout.InfiniteTimeSpan);
        _scanner ??= await BeginAsync();
        IsComplete = false;
        ulong before = Index.LastLsn;
        while (!isTimeUp())
        {
            switch (await _scanner.ReadAsync())
            {
                case ReadOutcome.Record:
                    Index.Add(_scanner.Header, _scanner.Body);
                    break;
                case ReadOutcome.Trimmed:
                    await BeginAgainAsync();
                    return;
                default:
                    IsComplete = true;
                    await (Index.LastLsn > before ? _view.RefreshAsync() : ValueTask.CompletedTask); // There may be new checkpoints.
                    await AnchorAsync();
                    return;
            }
        }
    }

    /// <summary>The search for a text, advanced by as much as one request may.</summary>
    public async Task<TextSearch> SearchAsync(string text)
    {
        TextSearch? search = _searches.Find(search => search.Text == text);
        if (search is null)
        {
            ulong from = Math.Max(1, Index.FirstLsn);
            search = new TextSearch(text, Index.First, _view.OpenReader(new Lsn(from), _options.Limit));
            _searches.Add(search);
            if (_searches.Count > MostSearches)
            {
                await _searches[0].DisposeAsync();
                _searches.RemoveAt(0);
            }
        }

        if (!await search.AdvanceAsync(Index.LastLsn, Budget()))
        {
            await BeginAgainAsync();
        }

        return search;
    }

    /// <summary>One record; null when the log no longer, or not yet, holds it.</summary>
    public async Task<PageRecord?> ReadAsync(ulong lsn)
    {
        if (_recent?.Lsn == lsn)
        {
            return _recent;
        }

        if (_reader is null || lsn < _reader.NextLsn.Value || lsn > _reader.NextLsn.Value + LongestSkip)
        {
            await CloseReaderAsync();
            _reader = _view.OpenReader(new Lsn(lsn), _options.Limit);
        }

        while (await _reader.ReadAsync() == ReadOutcome.Record)
        {
            if (_reader.Header.Lsn.Value == lsn)
            {
                return _recent = new PageRecord(_reader.Header, _reader.Body);
            }
        }

        await CloseReaderAsync();
        return null;
    }

    /// <summary>Tells when the time that one request may work is over.</summary>
    public Func<bool> Budget()
    {
        long begin = _options.Time.GetTimestamp();
        return () => _options.Time.GetElapsedTime(begin) >= _options.Budget;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _idle.DisposeAsync();
        await Gate.WaitAsync();
        await ForgetAsync();
        await _view.DisposeAsync();
    }

    private async ValueTask<LogReader> BeginAsync()
    {
        await _view.RefreshAsync();
        if (_view.OldestLsn.Value == 1)
        {
            // Nothing was sent before but the message of the first start, which is self-call number 1 (docs/internals/exactly-once.md H15).
            Index.Anchor(0, [(_view.Instance, 1)]);
        }

        return _view.OpenReader(_view.OldestLsn, _options.Limit);
    }

    private async Task ReleaseAsync()
    {
        await Gate.WaitAsync();
        try
        {
            await BeginAgainAsync();
        }
        finally
        {
            Gate.Release();
        }
    }

    private async Task BeginAgainAsync()
    {
        await ForgetAsync();
        Index = new LogIndex(_options.MaxMessages);
        Generation++;
    }

    private async Task ForgetAsync()
    {
        await CloseReaderAsync();
        _recent = null;
        if (_scanner is not null)
        {
            await _scanner.DisposeAsync();
            _scanner = null;
        }

        foreach (TextSearch search in _searches)
        {
            await search.DisposeAsync();
        }

        _searches.Clear();
    }

    // Where the beginning is gone, the newest checkpoint that the index reaches says how much had been sent until then.
    private async Task AnchorAsync()
    {
        if (Index.IsAnchored)
        {
            return;
        }

        foreach (ulong lsn in Checkpoints.Where(lsn => lsn + 1 >= Index.FirstLsn && lsn <= Index.DigestedThrough).Take(1))
        {
            if (await _view.OpenCheckpointAsync(new Lsn(lsn)) is { } reader)
            {
                await using CheckpointImage image = await CheckpointImage.OpenAsync(reader);
                Index.Anchor(lsn, image.Head.Outputs.Select(static output => (output.Destination, output.Streamed)));
            }
        }
    }

    private async ValueTask CloseReaderAsync()
    {
        if (_reader is not null)
        {
            await _reader.DisposeAsync();
            _reader = null;
        }
    }
}
