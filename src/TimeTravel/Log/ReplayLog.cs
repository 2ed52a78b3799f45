using System.Globalization;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Recovery;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.Protocol;
using Ambrosia.TimeTravel.Link;

namespace Ambrosia.TimeTravel.Log;

/// <summary>
/// A log opened for looking back: an instance's own folder, live or not, a copy, a backup, or whatever a store's URI names. Nothing is
/// written there, nothing is locked. Not for use by two threads at once.
/// </summary>
public sealed class ReplayLog : IAsyncDisposable
{
    private const int KeptBytes = 32 * 1024 * 1024;
    private readonly WriteAheadLog _log;
    private readonly RecordCache _recent = new(KeptBytes);
    private readonly LoggedDecisions _decisions;
    private LogReader? _reader;

    private readonly List<ulong> _held; // Checkpoints that can be read, whether the instance has let go of them or not.

    private ReplayLog(WriteAheadLog log, bool live)
    {
        (_log, IsLive) = (log, live);
        _held = [.. log.Checkpoints.Select(static checkpoint => checkpoint.Lsn.Value)];
        _decisions = new LoggedDecisions(log, Limit);
    }

    /// <summary>Instance whose log it is.</summary>
    public string Instance => _log.Instance;

    /// <summary>Where it lies, for messages.</summary>
    public string Location => _log.Location;

    /// <summary>Identity of the log.</summary>
    public Guid InstanceId => InstanceIds.ToGuid(_log.InstanceId);

    /// <summary>Newest epoch of leadership.</summary>
    public ulong Epoch => _log.Epoch.Value;

    /// <summary>The oldest record that is kept.</summary>
    public ulong OldestLsn => _log.OldestLsn.Value;

    /// <summary>
    /// True while a process of this machine writes it. Then only what is proven durable is read, otherwise everything that is valid.
    /// </summary>
    public bool IsLive { get; }

    /// <summary>Records after which a checkpoint was taken, newest first.</summary>
    public IReadOnlyList<ulong> Checkpoints =>
        [.. _log.Checkpoints.Select(static checkpoint => checkpoint.Lsn.Value).Union(_held).OrderByDescending(static lsn => lsn)];

    /// <summary>
    /// Where a replay of as much as possible begins: the oldest checkpoint whose following records are all kept, or 0 when nothing has
    /// been deleted yet.
    /// </summary>
    /// <exception cref="ReplayException">There is no such place.</exception>
    public ulong Beginning
    {
        get
        {
            // Retention deletes whole segments, so the oldest record kept is seldom the one after a checkpoint.
            IEnumerable<ulong> possible = Checkpoints.Where(lsn => lsn + 1 >= OldestLsn);
            return (OldestLsn <= 1 ? possible.Append(0UL) : possible).Cast<ulong?>().Min()
                ?? throw new ReplayException(
                    $"The log of {Instance} in {Location} is kept from record {OldestLsn} on, and there is no checkpoint to begin at.");
        }
    }

    /// <summary>
    /// Where a replay begins that nobody told where to: at <see cref="Beginning"/>, but with a checkpoint if the state was upgraded since.
    /// A
    /// fresh object is of the newest version, and the first messages were executed by an older one.
    /// </summary>
    /// <exception cref="ReplayException">There is no such place.</exception>
    internal async ValueTask<ulong> FindBeginningAsync()
    {
        ulong beginning = Beginning;
        if (beginning > 0 || Checkpoints is not [.., var oldest] || oldest == 0)
        {
            return beginning;
        }

        return (await DecisionsAsync()).Upgrades.Count > 0 ? oldest : beginning;
    }

    /// <summary>The view below, for what this class does not offer.</summary>
    public WriteAheadLog View => _log;

    /// <summary>Opens the log in this folder.</summary>
    /// <param name="folder">The one that holds <c>log/</c> and <c>checkpoints/</c>.</param>
    /// <param name="environment">Files and clock; those of the system by default.</param>
    /// <param name="holds"> For a journey, not for a reader that follows a log: what the instance deletes meanwhile stays readable, and the
    /// log ends where what there was now ends, once the instance has deleted what came after it.
    /// </param>
    /// <exception cref="LogStoreException">There is none.</exception>
    public static async Task<ReplayLog> OpenFolderAsync(string folder, LogStoreEnvironment? environment = null, bool holds = false) =>
        await OpenAsync(await LogView.OpenFolderAsync(Path.GetFullPath(folder), environment ?? new LogStoreEnvironment(), holds));

    /// <summary>Opens the log of one instance in a store.</summary>
    /// <exception cref="ReplayException">There is none.</exception>
    public static async Task<ReplayLog> OpenAsync(string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment,
        bool holds = false)
    {
        WriteAheadLog log = await LogView.OpenAsync(uri, instance, options, environment, holds);
        return log.Exists ? await OpenAsync(log) : throw new ReplayException($"There is no log of '{instance}' in {uri}.");
    }

    /// <summary>Looks again at what there is; for a live log.</summary>
    public async ValueTask RefreshAsync()
    {
        await _log.RefreshAsync();
        foreach (ulong lsn in _held.Except(_log.Checkpoints.Select(static checkpoint => checkpoint.Lsn.Value)).ToList())
        {
            await using CheckpointReader? reader = await _log.OpenCheckpointAsync(new Lsn(lsn));
            if (reader is null)
            {
                _held.Remove(lsn); // Of a store where it cannot be held.
            }
        }
    }

    /// <summary>The record with this LSN; null when the log does not go that far (yet).</summary>
    /// <exception cref="RecordsGoneException">It was deleted, because newer checkpoints made it dispensable.</exception>
    public async ValueTask<LoggedRecord?> ReadAsync(ulong lsn)
    {
        if (_recent.Find(lsn) is { } known)
        {
            return known;
        }

        if (_reader is null || _reader.NextLsn.Value != lsn)
        {
            await CloseReaderAsync();
            _reader = _log.OpenReader(new Lsn(lsn), Limit);
        }

        switch (await _reader.ReadAsync())
        {
            case ReadOutcome.Record:
                LoggedRecord record = LoggedRecord.Read(_reader.Header, _reader.Body);
                _recent.Add(record);
                return record;
            case ReadOutcome.Trimmed:
                await RefreshAsync();
                throw new RecordsGoneException(
                    $"Record {lsn} of {Instance} is no longer kept: the oldest is {OldestLsn}. Begin at a newer checkpoint{Newest()}.");
            default:
                return null;
        }
    }

    /// <summary>The failure when a wanted checkpoint is not there.</summary>
    internal RecordsGoneException NoCheckpoint(ulong lsn) =>
        new($"There is no checkpoint at {lsn}; there are some at {string.Join(", ", Checkpoints)}.");

    /// <summary>
    /// What a start of the log's coordinator would refuse or warn of, as far as that shows without reading the whole log.
    /// </summary>
    public ValueTask<IReadOnlyList<LogStoreException>> ExamineAsync() => _log.ExamineAsync();

    /// <summary>What this log says at its end of what was exchanged with other instances.</summary>
    /// <exception cref="LogStoreException">It cannot be read.</exception>
    public ValueTask<LoggedWatermarks> WatermarksAsync() => LoggedWatermarks.ReadAsync(_log);

    /// <summary>Records after which a checkpoint is in the store, whether the manifest names it or not; newest first.</summary>
    public async Task<IReadOnlyList<ulong>> ListCheckpointsAsync() =>
        [.. (await _log.ListCheckpointsAsync()).Select(static lsn => lsn.Value)];

    /// <summary>Reads a checkpoint from beginning to end; false when there is none at this LSN.</summary>
    /// <exception cref="LogCorruptException">It is damaged.</exception>
    public async Task<bool> VerifyCheckpointAsync(ulong lsn)
    {
        await using CheckpointImage? image = await OpenCheckpointAsync(lsn);
        return image is not null;
    }

    /// <summary>Copies the app's part of a checkpoint; returns its bytes, null when there is none at this LSN.</summary>
    public async Task<long?> ExportCheckpointAsync(ulong lsn, Stream destination, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(destination);
        if (await OpenCheckpointAsync(lsn) is not { } image)
        {
            return null;
        }

        await using LoggedState state = await LoggedState.OpenAsync(image);
        await state.CopyToAsync(bytes => destination.WriteAsync(bytes, cancellationToken));
        return state.Size;
    }

    /// <summary>A checkpoint, verified as a whole before it is handed out; null when there is none at this LSN.</summary>
    internal async ValueTask<CheckpointImage?> OpenCheckpointAsync(ulong lsn)
    {
        await using (CheckpointReader? first = await _log.OpenCheckpointAsync(new Lsn(lsn)))
        {
            if (first is null)
            {
                return null;
            }

            while (!(await first.ReadAsync()).IsEmpty)
            {
            }
        }

        if (await _log.OpenCheckpointAsync(new Lsn(lsn)) is not { } reader)
        {
            return null;
        }

        CheckpointImage image = await CheckpointImage.OpenAsync(reader);
        _decisions.Limit(lsn, image.Head.LargestMessage);
        _decisions.Name(lsn, image.Head.Awakeables);
        return image;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await CloseReaderAsync();
        await _log.DisposeAsync();
    }

    /// <summary>Quarantined messages, which no replay may execute, and upgrades, which it must go through.</summary>
    internal ValueTask<(IReadOnlyList<Protocol.MessagePosition> Skips, IReadOnlyList<VersionChange> Upgrades)> DecisionsAsync() =>
        _decisions.ReadAsync();

    /// <summary>Largest message that a handler may send after this record; 0: not known.</summary>
    internal long LargestMessageBehind(ulong lsn) => _decisions.LargestMessageBehind(lsn);

    /// <summary>By what awakeables are named after this record; null: not known, or there are none.</summary>
    internal AwakeableKey? AwakeablesBehind(ulong lsn) => _decisions.AwakeablesBehind(lsn);

    private ReadLimit Limit => IsLive ? ReadLimit.Durable : ReadLimit.Everything;

    private static async Task<ReplayLog> OpenAsync(WriteAheadLog log) => new(log, IsAlive(await log.ReadHolderAsync()));

    // The writer's own note in the lock file: pid 123 started 456789. A process of another machine, or of another container, is not seen:
    // then a copy is looked at.
    private static bool IsAlive(string? holder) => holder is not null && NamedProcess.IsRunning(holder);

    private string Newest() => Checkpoints is [var newest, ..] ? string.Create(CultureInfo.InvariantCulture, $", as at {newest}") : "";

    private async ValueTask CloseReaderAsync()
    {
        if (_reader is not null)
        {
            await _reader.DisposeAsync();
            _reader = null;
        }
    }
}
