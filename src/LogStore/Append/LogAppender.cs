using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Settings;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.LogStore.Append;

/// <summary>
/// Where writers put their bytes. Reserving and publishing are safe from any thread, allocate nothing and take no lock; a lock is taken
/// once per page. When the log cannot go on, the process ends (<see cref="IFatal"/>); a test double that returns leaves an appender that
/// refuses everything.
/// </summary>
public sealed class LogAppender : IAsyncDisposable
{
    /// <summary>Bytes up to which the writer's own thread may make a record: <see cref="Commit"/>.</summary>
    public const int SmallPayload = 4096;

    private const int TrailerReserve = 4096;

    // Times the pages: what is being filled and written, and as many records as wait in memory for an app that lost its processor for a
    // moment.
    private const int BuffersKeptPerPage = 5;

    private readonly object _turn = new();
    private readonly LogPage[] _ring;
    private readonly LogStoreOptions _options;
    private readonly PageBufferPool _buffers;
    private readonly GroupCommitter _committer;
    private readonly SegmentWriter _writer;
    private readonly LogFailure _failure;
    private readonly IPageProbe? _probe;
    private readonly List<(long Ticket, TaskCompletionSource Durable)> _flushWaiters = [];
    private LogPage? _current;
    private TaskCompletionSource? _pageWaiters;
    private Task _running = Task.CompletedTask;
    private long _begun; // Pages begun so far; the ring position of page t is (t - 1) % length.
    private long _committed; // Pages that became durable records.
    private ulong _durableLsn;
    private int _flushRequested;
    private volatile bool _stopping;

    internal LogAppender(
        SegmentWriter writer, IRecordSink sink, string instance, LogStoreOptions options, LogServices services,
        LogFailure failure)
    {
        (_writer, _options, _failure, _probe) = (writer, options, failure, services.Probe);
        _durableLsn = writer.NextLsn.Previous.Value;
        _buffers = new PageBufferPool(BufferSizeOf(options.PageSize), BuffersKeptPerPage * options.PageCount);
        _ring = [.. Enumerable.Range(0, options.PageCount).Select(_ => new LogPage(this, sink.CreatePageContext(), _probe))];
        _committer = new GroupCommitter(this, writer, sink, instance, services.Time, _probe);
        lock (_turn)
        {
            BeginNextPage();
        }
    }

    /// <summary>Everything up to here is on stable storage.</summary>
    public Lsn DurableLsn
    {
        get => new(Volatile.Read(ref _durableLsn));
        internal set => Volatile.Write(ref _durableLsn, value.Value);
    }

    /// <summary>Epoch of every record that is appended here.</summary>
    public Epoch Epoch => _writer.Epoch;

    /// <summary>Ends when the log has ended: normally after disposal, faulted when it could not go on.</summary>
    public Task Completion => _running;

    /// <summary>
    /// Takes room for a message; false when all pages wait for the disk: await <see cref="WaitForPageAsync"/> and try again. A message
    /// larger than a page gets a record of its own.
    /// </summary>
    public bool TryReserve(int size, out PageReservation reservation)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(size);
        if (size > _options.PageSize)
        {
            return TryReserveAlone(size, out reservation);
        }

        while (Volatile.Read(ref _current) is { } page)
        {
            if (page.TryReserve(size, out int offset) == PageOutcome.Reserved)
            {
                reservation = new PageReservation(page, offset, size);
                return true;
            }

            TurnPage(page);
        }

        reservation = default;
        return false;
    }

    /// <summary>Completes when room may be available, at once if it is.</summary>
    public ValueTask WaitForPageAsync()
    {
        _probe?.BeforeLock(_turn);
        lock (_turn)
        {
            _failure.ThrowIfSet();
            ObjectDisposedException.ThrowIf(_stopping, this);
            if (_current is not null || NextSlot.IsFree)
            {
                return default;
            }

            _pageWaiters ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return new ValueTask(_pageWaiters.Task);
        }
    }

    /// <summary>
    /// Sees to what was published without waking the log's loop. If the loop rests, the store is near and quick, and little has gathered,
    /// the calling thread makes the record: passing it on to the loop, and the news of it back, would cost two changes of threads. Else
    /// the loop is woken. Does nothing when there is nothing to do.
    /// </summary>
    public void Commit() => _ = CommitOrWakeAsync();

    /// <summary>
    /// Asks for a record soon even if nobody has written anything: the sink may have something to say, or readers wait for a durable mark.
    /// </summary>
    public void RequestFlush()
    {
        _probe?.BeforeStep();
        Interlocked.Exchange(ref _flushRequested, 1);
        _committer.WakeIfIdle();
    }

    /// <summary>Completes when everything published before the call is durable. Makes no empty record.</summary>
    public Task FlushAsync()
    {
        _probe?.BeforeLock(_turn);
        lock (_turn)
        {
            _failure.ThrowIfSet();
            if (_current is { Length: > 0 } page)
            {
                page.Seal();
                BeginNextPage();
            }

            long target = _begun - (_current is null ? 0 : 1);
            if (target <= _committed)
            {
                return Task.CompletedTask;
            }

            var durable = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _flushWaiters.Add((target, durable));
            return durable.Task;
        }
    }

    /// <summary>Makes everything published durable and ends the loop. Reservations taken before must be published.</summary>
    public async ValueTask DisposeAsync()
    {
        _probe?.BeforeLock(_turn);
        lock (_turn)
        {
            _stopping = true;
            SealCurrentPage();
            ReleasePageWaiters();
        }

        _committer.WakeIfIdle();
        try
        {
            await _running;
        }
        catch (Exception) when (_failure.Error is not null)
        {
            // Reported when it happened; Completion still tells.
        }

        await _writer.DisposeAsync();
    }

    /// <summary>Starts the loop.</summary>
    internal void Start(ILoopRunner loops, string instance) => _running = loops.Start($"log {instance}", RunAsync);

    /// <summary>
    /// Somebody else may append now: the process ends at once, whatever the loop waits for. Returns only under a test double; the loop
    /// then ends, too.
    /// </summary>
    internal void Abort(LogStoreException error)
    {
        _failure.Set(error, _writer.FileName);
        _committer.WakeIfIdle();
    }

    internal bool HasFailed => _failure.Error is not null;

    /// <summary>Throws in the loop when it must not go on.</summary>
    internal void ThrowIfFailed() => _failure.ThrowIfSet();

    /// <summary>Whether the loop may end: stopped, and no page holds anything.</summary>
    internal bool IsDrained
    {
        get
        {
            _probe?.BeforeLock(_turn);
            lock (_turn)
            {
                return _stopping && _committed == _begun;
            }
        }
    }

    internal bool IsStopping => _stopping;

    /// <summary>Whether a page is ready, or could be made so.</summary>
    internal bool HasWork => NextToCommit is { } page && (page.IsReady || IsWorthSealing(page));

    /// <summary>Payload that has gathered in the next page in order.</summary>
    internal int NextPayload => NextToCommit.Length;

    internal void WakeCommitterIfIdle() => _committer.WakeIfIdle();

    /// <summary>The next page in order if its writers have left; an open page with content is sealed for that.</summary>
    internal LogPage? TakeReadyPage()
    {
        LogPage page = NextToCommit;
        if (!page.IsReady && IsWorthSealing(page))
        {
            Interlocked.Exchange(ref _flushRequested, 0);
            TurnPage(page);
        }

        return page.IsReady ? page : null;
    }

    /// <summary>The page's record is durable: the page can gather again.</summary>
    internal void Recycle(LogPage page)
    {
        _probe?.BeforeLock(_turn);
        lock (_turn)
        {
            page.End();
            _committed++;
            for (int i = _flushWaiters.Count - 1; i >= 0; i--)
            {
                if (_flushWaiters[i].Ticket <= _committed)
                {
                    _flushWaiters[i].Durable.TrySetResult();
                    _flushWaiters.RemoveAt(i);
                }
            }

            if (_current is null && !_stopping)
            {
                BeginNextPage();
            }

            ReleasePageWaiters();
        }
    }

    private LogPage NextToCommit => _ring[(int)(Volatile.Read(ref _committed) % _ring.Length)];

    private LogPage NextSlot => _ring[(int)(_begun % _ring.Length)];

    // An open page without content is sealed only on request: a durable mark, or something that only the sink has.
    private bool IsWorthSealing(LogPage page) =>
        ReferenceEquals(Volatile.Read(ref _current), page) && (page.Length > 0 || Volatile.Read(ref _flushRequested) != 0);

    private static int BufferSizeOf(int payload) => RecordHeader.Size + payload + TrailerReserve + SegmentWriter.EndMarkSize;

    /// <summary>Seals a page that has had its time and opens the next. The second caller finds it done.</summary>
    private void TurnPage(LogPage page)
    {
        _probe?.BeforeLock(_turn);
        lock (_turn)
        {
            if (ReferenceEquals(_current, page))
            {
                page.Seal();
                BeginNextPage();
            }
        }
    }

    /// <summary>Closes the open page without opening the next. One that nobody has used never lived: its turn is free again.</summary>
    private void SealCurrentPage()
    {
        if (_current is { } page && page.TryWithdraw(out PageBuffer? unused))
        {
            unused!.Release();
            _begun--;
        }
        else
        {
            _current?.Seal();
        }

        Volatile.Write(ref _current, null);
    }

    private void BeginNextPage()
    {
        LogPage next = NextSlot;
        if (_stopping || !next.IsFree)
        {
            Volatile.Write(ref _current, null);
            return;
        }

        next.Begin(_buffers.Rent(BufferSizeOf(_options.PageSize)), _options.PageSize, ++_begun);
        Volatile.Write(ref _current, next);
    }

    private bool TryReserveAlone(int size, out PageReservation reservation)
    {
        if (size > _options.MaxRecordSize - TrailerReserve)
        {
            throw new ArgumentOutOfRangeException(nameof(size),
                $"A message of {size} bytes exceeds the log's record limit of {_options.MaxRecordSize} bytes.");
        }

        _probe?.BeforeLock(_turn);
        lock (_turn)
        {
            reservation = default;
            SealCurrentPage();
            LogPage slot = NextSlot;
            if (_stopping || !slot.IsFree)
            {
                return false;
            }

            slot.BeginTaken(_buffers.Rent(BufferSizeOf(size)), size, ++_begun);
            BeginNextPage();
            reservation = new PageReservation(slot, 0, size);
            return true;
        }
    }

    private void ReleasePageWaiters()
    {
        _pageWaiters?.TrySetResult();
        _pageWaiters = null;
    }

    private async Task RunAsync()
    {
        try
        {
            await _committer.RunAsync();
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Fail(error);
            throw;
        }
    }

    private async Task CommitOrWakeAsync()
    {
        if (!_committer.TryTake())
        {
            _committer.WakeIfIdle();
            return;
        }

        try
        {
            await _committer.CommitSmallAsync();
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Fail(error); // Before the loop gets its place back: a page whose sync has failed must not be written again.
        }

        _committer.GiveBack();
    }

    private void Fail(Exception error)
    {
        _failure.Set(error, _writer.FileName); // In production the process ends in here.
        _probe?.BeforeLock(_turn);
        lock (_turn)
        {
            _stopping = true;
            Volatile.Write(ref _current, null);
            _pageWaiters?.TrySetException(_failure.Error!);
            _pageWaiters = null;
            _flushWaiters.ForEach(waiter => waiter.Durable.TrySetException(_failure.Error!));
            _flushWaiters.Clear();
        }
    }
}
