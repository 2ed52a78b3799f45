using System.Diagnostics;
using System.Text;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore;

/// <summary>
/// One instance's log: opened it is a view that touches nothing; <see cref="BecomeWriterAsync"/> with a lease turns it into the log's only
/// writer. The way of a coordinator: open, acquire, become writer, newest valid checkpoint, replay by a reader, start appending.
/// </summary>
public sealed class WriteAheadLog : ILogEnds, IAsyncDisposable
{
    private readonly LogServices _services;
    private readonly CheckpointStore _checkpoints;
    private readonly LogTrimmer _trimmer;
    private readonly Housekeeper _housekeeper;
    private readonly LogFailure _failure;
    private readonly List<CheckpointWriter> _checkpointsBegun = [];
    private SegmentWriter? _writer;
    private WriterStart? _start;
    private LogAppender? _appender;
    private ulong _proven;
    private ILogLease? _lease;
    private CancellationTokenRegistration _leaseWatch;

    private WriteAheadLog(ILogStorage storage, LogStoreOptions options, LogServices services)
    {
        (Storage, Options, _services) = (storage, options, services);
        Index = new SegmentIndex(storage, options);
        _checkpoints = new CheckpointStore(storage, Index, services.Logger);
        _trimmer = new LogTrimmer(_checkpoints, Index, options, services.Logger);
        _housekeeper = new Housekeeper(storage, _checkpoints, _trimmer, services.Time, services.Logger);
        _failure = new LogFailure(services);
    }

    /// <summary>The instance whose log it is.</summary>
    public string Instance => Storage.Instance;

    /// <summary>Where it lies, for messages.</summary>
    public string Location => Storage.Place;

    /// <summary>How long a follower of this log pauses at most before it looks again.</summary>
    public TimeSpan LongestPause => Storage.LongestPause;

    /// <summary>Whether there is a log.</summary>
    public bool Exists => Index.Last is not null;

    /// <summary>Identity of the log; <see cref="InstanceId.None"/> when it does not exist.</summary>
    public InstanceId InstanceId => Index.Last?.InstanceId ?? InstanceId.None;

    /// <summary>Newest epoch opened as far as this view knows.</summary>
    public Epoch Epoch => Index.Last?.Epoch ?? Epoch.None;

    /// <summary>The oldest record still there.</summary>
    public Lsn OldestLsn => Index.Segments is [var first, ..] ? first.FirstLsn : Lsn.None.Next;

    /// <summary>Segments of the log, oldest first, as far as this view knows.</summary>
    public IReadOnlyList<SegmentHeader> Segments => Index.Segments;

    /// <summary>Verified checkpoints, newest first, as far as this view knows.</summary>
    public IReadOnlyList<ManifestEntry> Checkpoints => _checkpoints.Verified;

    /// <summary>
    /// Whether there ever was a checkpoint, even if none can be used now. Tells an instance that never came to its first checkpoint, and
    /// may start afresh, from one whose checkpoints were lost and must not.
    /// </summary>
    public bool WasCheckpointed => _checkpoints.WasCheckpointed;

    /// <summary>Whether this process is the writer.</summary>
    public bool IsWriter => _start is not null;

    /// <summary>Last record on stable storage: the writer knows; a view knows what its readers have found proven.</summary>
    public Lsn DurableLsn => _appender?.DurableLsn ?? _start?.LastLsn ?? ProvenLsn;

    /// <summary>
    /// Last record that the app is done with: from there on the log is kept for reading again. Null (the default) when the app never reads
    /// the log.
    /// </summary>
    public Lsn? AppExecuted
    {
        get => _trimmer.AppExecuted;
        set => _trimmer.AppExecuted = value;
    }

    /// <summary>Called from the log's own loop when a segment is full and the next begins: the time for a checkpoint.</summary>
    public Action<SegmentHeader>? SegmentRolled { get; set; }

    /// <summary>Called from a loop of the log's own when a checkpoint was adopted that another replica wrote.</summary>
    public Action<ManifestEntry>? CheckpointAdopted
    {
        get => _housekeeper.Adopted;
        set => _housekeeper.Adopted = value;
    }

    /// <summary>Called from any thread when a checkpoint that the manifest named turned out to be damaged or gone.</summary>
    public Action? CheckpointLost
    {
        get => _checkpoints.Lost;
        set => _checkpoints.Lost = value;
    }

    /// <summary>
    /// For the writer: a checkpoint was lost for which there is no newer one, or of the two that retention keeps one is left. Another one
    /// should be taken soon.
    /// </summary>
    public bool LacksCheckpoint => _checkpoints.LacksOne;

    /// <summary>Highest record that a reader of this view has found proven durable.</summary>
    internal Lsn ProvenLsn
    {
        get => new(Volatile.Read(ref _proven));
        set => Volatile.Write(ref _proven, Math.Max(_proven, value.Value));
    }

    internal ILogStorage Storage { get; }

    internal LogStoreOptions Options { get; }

    internal SegmentIndex Index { get; }

    Lsn ILogEnds.ProvenLsn
    {
        get => ProvenLsn;
        set => ProvenLsn = value;
    }

    Lsn ILogEnds.NewestCheckpoint => Checkpoints is [var newest, ..] ? newest.Lsn : Lsn.None;

    ILogStorage ILogEnds.Storage => Storage;

    SegmentIndex ILogEnds.Index => Index;

    int ILogEnds.PageSize => Options.PageSize;

    /// <summary>Opens a view of the log in this storage, which it then owns.</summary>
    public static async ValueTask<WriteAheadLog> OpenAsync(ILogStorage storage, LogStoreOptions options, LogServices services)
    {
        var log = new WriteAheadLog(storage, options.Validate(), services);
        try
        {
            await log.RefreshAsync();
        }
        catch (FileFailedException error) when (error.Error is not (Errno.EACCES or Errno.EPERM or Errno.ENOTDIR or Errno.ELOOP))
        {
            // Paths and rights are for a person to correct; a device, or a limit of the system, may be well at the next start.
            throw Explain(error);
        }

        return log;
    }

    /// <summary>Looks again at what the store holds; for views of a log that another process writes.</summary>
    public async ValueTask RefreshAsync()
    {
        if (!IsWriter)
        {
            await Index.RefreshAsync();
            await _checkpoints.LoadAsync();
        }
    }

    /// <summary>
    /// For a view: what a start would refuse, or warn of, as far as it sees that without reading the whole log. Newest segments, the end of
    /// the log, and the oldest log that retention keeps are looked at, by the start's own rules.
    /// </summary>
    public ValueTask<IReadOnlyList<LogStoreException>> ExamineAsync() => new LogExamination(Storage, Index, _checkpoints).RunAsync();

    /// <summary>Keeps beside the log what the app answers to, for people who look into it; once for each text.</summary>
    public ValueTask KeepContractAsync(string text) => Storage.KeepContractAsync(Encoding.UTF8.GetBytes(text));

    /// <summary>
    /// The contracts that are kept in a service: this log's, newest first, then those of the store's other instances. Empty for a store
    /// that is a folder: there they are files.
    /// </summary>
    public async ValueTask<IReadOnlyList<string>> ReadContractsAsync() =>
        [.. (await Storage.ReadContractsAsync()).Select(Encoding.UTF8.GetString)];

    /// <summary>Positions of all checkpoints that are in the store at this moment, adopted or not, newest first.</summary>
    public ValueTask<IReadOnlyList<Lsn>> ListCheckpointsAsync() => Storage.ListCheckpointsAsync();

    /// <summary>The right to append, at once or null.</summary>
    public ValueTask<ILogLease?> TryAcquireAsync() => ExplainAsync(async () =>
    {
        await Storage.PrepareAsync();
        return await Storage.AcquireLeaseAsync(wait: false, CancellationToken.None);
    });

    /// <summary>Waits, without polling, for the right to append.</summary>
    public ValueTask<ILogLease> AcquireAsync(CancellationToken cancellationToken) => ExplainAsync(async () =>
    {
        await Storage.PrepareAsync();
        return await Storage.AcquireLeaseAsync(wait: true, cancellationToken) ?? throw new UnreachableException();
    });

    /// <summary>
    /// A lock beside the log, for what replicas share out among themselves; <paramref name="name"/> is one of <see cref="NamedLeases"/>.
    /// At once, or waited for.
    /// </summary>
    /// <returns>Null when another process holds it and <paramref name="wait"/> is false.</returns>
    public ValueTask<ILogLease?> AcquireNamedLeaseAsync(
        string name, bool wait, CancellationToken cancellationToken) => ExplainAsync(async () =>
    {
        await Storage.PrepareAsync();
        return await Storage.AcquireNamedLeaseAsync(name, wait, cancellationToken);
    });

    /// <summary>Whether somebody holds such a lock at this moment.</summary>
    public async ValueTask<bool> IsNamedLeaseHeldAsync(string name) => await Storage.ReadSideHolderAsync(name) is not null;

    /// <summary>The holder of such a lock at this moment, as in <see cref="ReadHolderAsync"/>; null when nobody does.</summary>
    public ValueTask<string?> ReadSideHolderAsync(string name) => Storage.ReadSideHolderAsync(name);

    /// <summary>
    /// The process that holds, or last held, the right to append: <c>pid 123 started 456789</c> (clock ticks since boot, as in
    /// /proc/123/stat). Null when nobody ever did.
    /// </summary>
    public ValueTask<string?> ReadHolderAsync() => Storage.ReadHolderAsync();

    /// <summary>
    /// What the holder said last to show that it moves: its name as above, and a number that changes. Null when it says nothing.
    /// </summary>
    public ValueTask<string?> ReadBeatAsync() => Storage.ReadBeatAsync();

    /// <summary>Whether somebody has the right to append at this moment.</summary>
    public ValueTask<bool> IsHeldAsync() => Storage.IsHeldAsync();

    /// <summary>
    /// Opens the next epoch: reads to the log's end, cuts a torn write, makes the epoch durable. Makes the log if there is none. The lease
    /// stays the caller's, which gives it back after disposing the log.
    /// </summary>
    public ValueTask<WriterStart> BecomeWriterAsync(ILogLease lease) => ExplainAsync(async () =>
    {
        if (IsWriter)
        {
            throw new InvalidOperationException("This log has its writer already.");
        }

        await Index.RefreshAsync();
        await _checkpoints.LoadAsync();
        IReadOnlyList<Lsn> checkpoints = await Storage.ListCheckpointsAsync();
        var opening = new WriterOpening(Storage, Index, Options, _services);
        (_writer, _start) = await opening.OpenAsync(
            lease, checkpoints is [var newest, ..] ? newest : Lsn.None, _checkpoints.Content?.NewestSegment ?? 0);
        if (new RecoveryRules(Storage, Index).OldestMissing([.. _checkpoints.Kept(checkpoints)]) is { } missing)
        {
            LogStoreLog.OldestLogMissing(_services.Logger, missing.Message);
        }

        await _checkpoints.ReconcileAsync();
        _lease = lease;
        return _start;
    });

    /// <summary>
    /// The newest undamaged checkpoint, not beyond a position if one is given; null when replay begins with the first record, or all that
    /// are left lie beyond. It is read once as a whole before it is handed out: a damaged one (IC-2011, a warning) is skipped.
    /// </summary>
    /// <param name="notBeyond">The last record that the checkpoint may lie after; null: any.</param>
    /// <param name="proven">A checkpoint that this method has handed out a moment ago: it is not read as a whole again.</param>
    public ValueTask<CheckpointReader?> OpenNewestValidCheckpointAsync(Lsn? notBeyond = null, Lsn? proven = null) =>
        _checkpoints.OpenNewestValidAsync(notBeyond, proven);

    /// <summary>The newest checkpoint whose head can be read, its content unread; null when there is none.</summary>
    public ValueTask<CheckpointReader?> OpenNewestCheckpointAsync() => _checkpoints.OpenNewestAsync();

    /// <summary>One particular checkpoint, or null.</summary>
    public ValueTask<CheckpointReader?> OpenCheckpointAsync(Lsn lsn) => _checkpoints.OpenAsync(lsn);

    /// <summary>
    /// Reads from this record on. With <paramref name="endsOnly"/>, of large records only the header is checked and the last bytes of the
    /// body are read, for a reader that keeps something with a checksum of its own there: <see cref="LogReader.IsWhole"/> is false then,
    /// and <see cref="LogReader.ReadWholeAsync"/> reads the rest.
    /// </summary>
    public LogReader OpenReader(Lsn from, ReadLimit limit = ReadLimit.Durable, bool endsOnly = false) =>
        new(this, Lsn.Max(from, Lsn.None.Next), limit, endsOnly);

    /// <summary>Starts the loop that writes. Once per writer.</summary>
    public LogAppender StartAppending(IRecordSink sink)
    {
        SegmentWriter writer = _writer ?? throw new InvalidOperationException("Become the log's writer first.");
        if (_appender is not null)
        {
            throw new InvalidOperationException("This log is being appended to already.");
        }

        _checkpoints.Published = _housekeeper.Wake;
        writer.HalfFull = _housekeeper.WakeToPrepare;
        writer.SegmentRolled = segment =>
        {
            LogStoreLog.SegmentRolled(_services.Logger, segment.Number, segment.FirstLsn);
            _housekeeper.Wake();
            SegmentRolled?.Invoke(segment);
        };
        _appender = new LogAppender(writer, sink, Instance, Options, _services, _failure);
        _appender.Start(_services.Loops, Instance);
        _housekeeper.Start(_services.Loops, Instance);
        _leaseWatch = _lease!.Lost.Register(() => _ = AbortAsync(_lease!));
        return _appender;
    }

    /// <summary>Not left to the next append: an idle writer, or one whose append waits for its store, must end just as soon.</summary>
    private async Task AbortAsync(ILogLease lease)
    {
        try
        {
            await lease.VerifyAsync();
        }
        catch (LogStoreException error)
        {
            _appender!.Abort(error);
        }
    }

    /// <summary>
    /// Begins a checkpoint of the state after this record, which must be durable. The log goes on meanwhile. Without a pace it is written
    /// as fast as the store takes it.
    /// </summary>
    public CheckpointWriter BeginCheckpoint(Lsn lsn, CheckpointPace? pace = null)
    {
        if (lsn > DurableLsn)
        {
            throw new ArgumentOutOfRangeException(nameof(lsn), $"Records up to LSN {lsn} can still be lost; LSN {DurableLsn} is durable.");
        }

        SegmentHeader segment = Index.Last!;
        var checkpoint = new CheckpointWriter(_checkpoints, new CheckpointHeader
        {
            InstanceId = segment.InstanceId,
            Lsn = lsn,
            Epoch = segment.Epoch,
            CreatedAt = _services.Time.GetUtcNow().UtcTicks,
            Instance = Instance,
            Cluster = Options.Cluster,
        }, Options.CheckpointBlockSize, pace, _services.Loops);
        _checkpointsBegun.RemoveAll(static begun => begun.HasEnded);
        _checkpointsBegun.Add(checkpoint);
        return checkpoint;
    }

    /// <summary>
    /// For a view: what was begun by <see cref="BeginCheckpoint"/> and has no name when this returns never gets one. For a process that
    /// gives back <see cref="NamedLeases.Checkpointer"/>.
    /// </summary>
    public ValueTask GiveUpCheckpointsAsync() => _checkpoints.GiveUpAsync();

    /// <summary>For a view: reads what the store has at this moment behind all that is proven durable.</summary>
    public async ValueTask<LogReader> OpenTailAsync()
    {
        await Index.RefreshAsync();
        return OpenReader(Lsn.Max(ProvenLsn.Next, Index.Last?.FirstLsn ?? Lsn.None), ReadLimit.Everything);
    }

    /// <summary>Keeps the log from a position on for a reader that is not the app, up to the configured lag.</summary>
    public ReaderRegistration RegisterReader(string name, Lsn position) => _trimmer.Register(name, position);

    /// <summary>For the writer: looks for checkpoints that another replica wrote, and lets retention count them.</summary>
    public void LookForCheckpoints() => _housekeeper.WakeToAdopt();

    /// <summary>Deletes now what retention lets go. It also happens by itself after each checkpoint and segment.</summary>
    public ValueTask TrimAsync() => _trimmer.TrimAsync(_housekeeper.VerifyPace());

    /// <summary>Free bytes where the log lies.</summary>
    public ValueTask<long> GetFreeBytesAsync() => Storage.GetFreeBytesAsync();

    /// <summary>
    /// Nothing was appended yet, so a refused file operation is a refused start: an error with the operating system's reason.
    /// </summary>
    private static async ValueTask<T> ExplainAsync<T>(Func<ValueTask<T>> action)
    {
        try
        {
            return await action();
        }
        catch (FileFailedException error)
        {
            throw Explain(error);
        }
    }

    private static LogStoreException Explain(FileFailedException error) =>
        new(StoreErrors.CannotOpenLog, $"the log cannot be opened: {error.Call} failed with {error.Error}", error.Path,
            "everything acknowledged so far is untouched",
            ErrnoAdvice.Or("correct permissions, free space or repair the device, then start again", error), error);

    /// <summary>
    /// Makes everything published durable, gives up unfinished checkpoints, ends the loops and closes the files. The lease is not given
    /// back.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        await _leaseWatch.DisposeAsync();
        // The next holder of the lease must not meet a manifest that this process is still writing.
        foreach (CheckpointWriter checkpoint in _checkpointsBegun)
        {
            await checkpoint.DisposeAsync();
        }

        if (_appender is not null)
        {
            await _appender.DisposeAsync();
        }
        else if (_writer is not null)
        {
            await _writer.DisposeAsync();
        }

        await _housekeeper.DisposeAsync();
        await Storage.DisposeAsync();
    }
}
