using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore.Checkpoints;

/// <summary>Finds, publishes and forgets checkpoints.</summary>
internal sealed class CheckpointStore(ILogStorage storage, SegmentIndex index, ILogger logger)
{
    private readonly AsyncLock _changing = new();
    private readonly RecoveryRules _rules = new(storage, index);
    private readonly CheckpointFiles _files = new(storage, index, logger);
    private readonly Manifest _manifest = new(storage, logger);
    private readonly CheckpointKnowledge _knowledge = new();
    private readonly HashSet<Lsn> _judged = []; // What the start has looked at: in the manifest now, or damaged.
    private bool _isWriter;
    private volatile int _round;

    public ILogStorage Storage => storage;

    /// <summary>Called when a checkpoint was published: older log may go.</summary>
    public Action? Published { get; set; }

    /// <summary>Called when a checkpoint that the manifest named turned out to be damaged or gone.</summary>
    public Action? Lost { get; set; }

    /// <summary>What the manifest says; null before the first checkpoint.</summary>
    public ManifestContent? Content => _manifest.Current;

    /// <summary>Checkpoints that were verified when they were written, newest first, without those that are known to be lost.</summary>
    public IReadOnlyList<ManifestEntry> Verified => _knowledge.WithoutLost(Named);

    /// <summary>For the writer: one was lost and there is no newer one, or fewer are left than retention counts on.</summary>
    public bool LacksOne => _knowledge.HasLostBeyond(Verified)
        || (Verified.Count < RetentionPolicy.CountedOn && index.Segments is [{ FirstLsn.Value: > 1 }, ..]);

    /// <summary>What the manifest names, lost or not.</summary>
    public IReadOnlyList<ManifestEntry> Named => _manifest.Current?.Checkpoints ?? [];

    /// <summary>Whether there ever was a checkpoint, usable or not: a manifest is written with the first and never removed.</summary>
    public bool WasCheckpointed { get; private set; }

    /// <summary>Of those that are present: what retention counts on. Others may have come too late, after their log had gone.</summary>
    public IEnumerable<Lsn> Kept(IReadOnlyList<Lsn> present) =>
        _manifest.Current is null ? present : Named.Select(static entry => entry.Lsn).Intersect(present);

    public async ValueTask LoadAsync()
    {
        await _manifest.LoadAsync(index.Last?.InstanceId ?? InstanceId.None);
        WasCheckpointed = _manifest.Current is not null || _manifest.IsDamaged || (await storage.ListCheckpointsAsync()).Count > 0;
    }

    /// <summary>Makes manifest and folder agree again. What retention counts on must be there. Only the holder of the lease may.</summary>
    public async ValueTask ReconcileAsync()
    {
        // A replica that becomes the writer may just be naming a checkpoint that it had begun before: only one of the two writes that.
        using IDisposable turn = await _changing.EnterAsync();
        if (_manifest.IsDamaged)
        {
            LogStoreLog.ManifestRebuilt(logger, storage.Location);
        }

        _isWriter = true;
        var entries = new List<ManifestEntry>();
        IReadOnlyList<Lsn> present = await storage.ListCheckpointsAsync();
        foreach (LogCorruptException gone in _rules.Gone(Named.Select(static entry => entry.Lsn), present))
        {
            LogStoreLog.CheckpointGone(logger, gone.Message);
        }

        foreach (Lsn lsn in present)
        {
            _judged.Add(lsn);
            ManifestEntry known = Named.FirstOrDefault(entry => entry.Lsn == lsn && entry.StoredBytes > 0);
            if (CameTooLate(lsn, known))
            {
                _knowledge.FoundLost(lsn, _knowledge.Named);
            }
            else if (known.StoredBytes > 0 && !_knowledge.IsLost(lsn))
            {
                entries.Add(known);
            }
            else if (await TryVerifyAsync(lsn) is { } entry)
            {
                entries.Add(entry);
            }
        }

        _knowledge.FoundOnly(entries, Named);
        if (_manifest.IsDamaged || !entries.SequenceEqual(Named))
        {
            await SaveAsync(entries);
        }
    }

    /// <summary>The newest undamaged checkpoint, not beyond a position; null when there is none, or all that are left lie beyond.</summary>
    /// <param name="notBeyond">The last record that it may lie after; null: any.</param>
    /// <param name="proven">One that was verified so lately that it is not read once more before it is handed out.</param>
    public async ValueTask<CheckpointReader?> OpenNewestValidAsync(Lsn? notBeyond, Lsn? proven)
    {
        var damaged = new HashSet<Lsn>();
        var suspect = new HashSet<Lsn>();
        while (true)
        {
            // Looked at each time: newer ones may have come and older ones gone while one of them was read.
            int named = _knowledge.Named;
            IReadOnlyList<Lsn> all = await storage.ListCheckpointsAsync();
            Lsn[] present = [.. all.Where(lsn => notBeyond is null || lsn <= notBeyond)];
            damaged.IntersectWith(present);
            int next = Array.FindIndex(present, lsn => !damaged.Contains(lsn));
            if (next < 0 && present.Length < all.Count)
            {
                return null;
            }

            if (next < 0)
            {
                break;
            }

            // Another attempt at the record may have taken its place while it was read from a service: it is damaged if it looks so twice.
            bool again = !suspect.Add(present[next]);
            if ((present[next] == proven || await TryVerifyAsync(present[next], tells: again) is not null)
                && await _files.TryOpenAsync(present[next]) is { } reader)
            {
                if (!await HasLogAfterAsync(reader))
                {
                    continue;
                }

                reader.SkippedCheckpoints = next;
                reader.StandsInForAnother = next > 0 || StandsIn(reader.Lsn, notBeyond, all);
                return reader;
            }

            if (again)
            {
                damaged.Add(present[next]);
                await LoseAsync(present[next], named);
            }
        }

        return _rules.NoStart(damaged.Count) is { } none ? throw none : null;
    }

    /// <summary>Opens the newest checkpoint that can be opened, without verifying what is in it.</summary>
    public ValueTask<CheckpointReader?> OpenNewestAsync() => _files.OpenNewestAsync();

    /// <summary>Opens one checkpoint; null when there is none.</summary>
    public ValueTask<CheckpointReader?> OpenAsync(Lsn lsn) => _files.OpenAsync(lsn);

    /// <summary>Reads a finished file back before anybody relies on it.</summary>
    public static async ValueTask VerifyAsync(IStoredFile file, Lsn lsn, long footerOffset, CheckpointPace? pace = null)
    {
        CheckpointReader reader = await CheckpointReader.OpenAsync(file, lsn);
        if (await reader.VerifyAsync(pace) != footerOffset)
        {
            throw new LogCorruptException(StoreErrors.CheckpointDamaged, $"checkpoint at LSN {lsn} reads back shorter than written",
                file.Name, footerOffset, lsn, "older checkpoints and the log are untouched", "check the device");
        }
    }

    /// <summary>Changes when everything that is under way is given up.</summary>
    public int Round => _round;

    /// <summary>Returns when none of the checkpoints that were begun before can get its name any more.</summary>
    public async ValueTask GiveUpAsync()
    {
        using (await _changing.EnterAsync())
        {
            _round++;
        }
    }

    /// <summary>Throws if what was begun in this round was given up.</summary>
    public void RequireRound(int round, Lsn lsn)
    {
        if (round != _round)
        {
            throw new CheckpointFailedException($"checkpoint at LSN {lsn} given up: others have the right to it now", storage.Location);
        }
    }

    /// <summary>Name, folder sync, manifest: in this order; for a checkpoint that was begun in this round.</summary>
    public async ValueTask PublishAsync(CheckpointHeader header, int round)
    {
        using (await _changing.EnterAsync())
        {
            RequireRound(round, header.Lsn);
            await storage.CommitCheckpointAsync(header.Lsn);
            _knowledge.WasNamed(header.Lsn);
            if (!_isWriter)
            {
                return; // Manifest and retention are the writer's: it adopts what it finds.
            }

            _judged.Add(header.Lsn);
            await using IStoredFile? file = await storage.OpenCheckpointAsync(header.Lsn);
            long size = file is null ? 0 : await file.GetLengthAsync();
            await SaveAsync([new ManifestEntry(header.Lsn, header.Epoch, size), .. Verified.Where(entry => entry.Lsn != header.Lsn)]);
            WasCheckpointed = true;
            LogStoreLog.CheckpointVerified(logger, header.Lsn, size);
        }

        Published?.Invoke();
    }

    /// <summary>
    /// Adopts checkpoints that another replica has written meanwhile: named means verified, for its writer reads it back before it gets
    /// its name. Only the writer may.
    /// </summary>
    /// <returns>The newest of them; null when there is none.</returns>
    public async ValueTask<ManifestEntry?> AdoptAsync()
    {
        using (await _changing.EnterAsync())
        {
            var adopted = new List<ManifestEntry>();
            foreach (Lsn lsn in (await storage.ListCheckpointsAsync()).Where(_judged.Add))
            {
                if (CameTooLate(lsn, default))
                {
                    _knowledge.FoundLost(lsn, _knowledge.Named);
                }
                else if (await _files.TryDescribeAsync(lsn) is { } entry)
                {
                    adopted.Add(entry);
                    LogStoreLog.CheckpointAdopted(logger, lsn, entry.StoredBytes);
                }
            }

            if (adopted.Count == 0)
            {
                return null;
            }

            await SaveAsync([.. adopted, .. Verified]);
            return adopted.MaxBy(static entry => entry.Lsn.Value);
        }
    }

    /// <summary>Removes what an unfinished checkpoint left; a store that refuses even this is cleaned at the next start.</summary>
    public async ValueTask AbandonAsync(Lsn lsn)
    {
        try
        {
            await storage.AbandonCheckpointAsync(lsn);
        }
        catch (Exception error) when (error is FileFailedException or LogStoreException)
        {
            LogStoreLog.PreparationFailed(logger, error.Message);
        }
    }

    /// <summary>Whether this process has verified a checkpoint, and nothing has spoken against it since.</summary>
    public bool IsKnownGood(Lsn lsn) => _knowledge.IsGood(lsn);

    /// <summary>Those that are damaged or gone, and older than this one.</summary>
    public Lsn[] LostBefore(Lsn lsn) => [.. _knowledge.Lost().Where(lost => lost < lsn)];

    /// <summary>Looks whether the store still has what the manifest names. For the writer.</summary>
    public async ValueTask LookForLostAsync()
    {
        bool anyLost = false;
        using (await _changing.EnterAsync())
        {
            IReadOnlyList<Lsn> present = await storage.ListCheckpointsAsync();
            foreach (LogCorruptException gone in _rules.Gone(Verified.Select(static entry => entry.Lsn), present))
            {
                anyLost |= _knowledge.FoundLost(gone.Lsn, _knowledge.Named);
                LogStoreLog.CheckpointGone(logger, gone.Message);
            }

            await SaveWithoutLostAsync();
        }

        if (anyLost)
        {
            Lost?.Invoke();
        }
    }

    /// <summary>Reads a checkpoint that was not verified here yet. One that is damaged, or cannot be read, is lost.</summary>
    public async ValueTask ProveAsync(Lsn lsn, CheckpointPace pace)
    {
        int named = _knowledge.Named;
        try
        {
            // As at a start: another attempt at the same record may have taken its place while it was read.
            if (await TryVerifyAsync(lsn, tells: false, pace) is null && await TryVerifyAsync(lsn, tells: true, pace) is null)
            {
                await LoseAsync(lsn, named);
            }
        }
        catch (LogStoreException error) when (error.Error == StoreErrors.DeviceCannotRead)
        {
            LogStoreLog.CheckpointDamaged(logger, lsn, error.Message, 0);
            await LoseAsync(lsn, named);
        }
    }

    /// <summary>Forgets checkpoints: first in the manifest, then on the store, oldest first.</summary>
    public async ValueTask ForgetAsync(IReadOnlyCollection<Lsn> checkpoints)
    {
        using (await _changing.EnterAsync())
        {
            await SaveAsync([.. Verified.Where(entry => !checkpoints.Contains(entry.Lsn))]);
            foreach (Lsn lsn in checkpoints.Order())
            {
                await storage.DeleteCheckpointAsync(lsn);
                _knowledge.Forget(lsn);
            }
        }
    }

    /// <summary>
    /// Retention deletes a checkpoint before the log after it. One that was chosen, and is not there any more, has been released while it
    /// was read, and newer ones are there.
    /// </summary>
    private async ValueTask<bool> HasLogAfterAsync(CheckpointReader reader)
    {
        if (_rules.LogAfterMissing(reader.Lsn) is not { } missing)
        {
            return true;
        }

        await reader.DisposeAsync();
        return (await storage.ListCheckpointsAsync()).Contains(reader.Lsn) ? throw missing : false;
    }

    /// <summary>
    /// A replica that lags may finish a checkpoint when the log after it has been released. Nothing can begin with it: retention removes it
    /// with the next older ones, and a log that begins after it lacks nothing.
    /// </summary>
    private bool CameTooLate(Lsn lsn, ManifestEntry known) =>
        known.StoredBytes == 0 && !_manifest.IsDamaged && Named.Count > 0 && !_rules.HasLogAfter(lsn);

    /// <summary>Whether a newer one was named. What a view has of the manifest is older than what it has seen in the folder.</summary>
    private bool StandsIn(Lsn chosen, Lsn? notBeyond, IReadOnlyList<Lsn> present) =>
        _knowledge.Lost().Concat(_isWriter ? [] : Named.Select(static entry => entry.Lsn).Where(lsn => !present.Contains(lsn)))
            .Any(lsn => lsn > chosen && (notBeyond is null || lsn <= notBeyond));

    private async ValueTask LoseAsync(Lsn lsn, int named)
    {
        using (await _changing.EnterAsync())
        {
            if (!_knowledge.FoundLost(lsn, named))
            {
                return;
            }

            await SaveWithoutLostAsync();
        }

        Lost?.Invoke();
    }

    /// <summary>If the manifest cannot be written now, the next one names none of them either; meanwhile this process knows.</summary>
    private async ValueTask SaveWithoutLostAsync()
    {
        if (!_isWriter || !Named.Any(entry => _knowledge.IsLost(entry.Lsn)))
        {
            return;
        }

        try
        {
            await SaveAsync(Verified);
        }
        catch (Exception error) when (error is FileFailedException or LogStoreException)
        {
            LogStoreLog.PreparationFailed(logger, error.Message);
        }
    }

    private async ValueTask<ManifestEntry?> TryVerifyAsync(Lsn lsn, bool tells = true, CheckpointPace? pace = null)
    {
        try
        {
            await using CheckpointReader? reader = await OpenAsync(lsn);
            if (reader is null)
            {
                return null;
            }

            var entry = new ManifestEntry(lsn, reader.Header.Epoch, await reader.VerifyAsync(pace) + CheckpointFormat.FooterSize);
            _knowledge.FoundGood(lsn);
            return entry;
        }
        catch (LogCorruptException error)
        {
            if (tells && (await storage.ListCheckpointsAsync()).Contains(lsn)) // Else it was released while it was read.
            {
                LogStoreLog.CheckpointDamaged(logger, lsn, error.File, error.Offset);
            }

            return null;
        }
    }

    private async ValueTask SaveAsync(IReadOnlyList<ManifestEntry> newestFirst)
    {
        SegmentHeader? last = index.Last;
        await _manifest.SaveAsync(new ManifestContent(
            last?.InstanceId ?? InstanceId.None, 0, last?.Number ?? 0, last?.Epoch ?? Epoch.None,
            [.. newestFirst.OrderByDescending(static entry => entry.Lsn.Value)]));
    }
}
