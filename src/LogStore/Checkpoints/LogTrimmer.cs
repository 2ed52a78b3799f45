using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore.Checkpoints;

/// <summary>
/// Deletes what nobody can need: below the second newest verified checkpoint, the app's position and registered readers
/// (docs/internals/exactly-once.md H17), as far as the policy lets go of it. Oldest first, so that what is left is always one piece.
/// </summary>
internal sealed class LogTrimmer(CheckpointStore checkpoints, SegmentIndex index, LogStoreOptions options, ILogger logger)
{
    private const ulong NoApp = ulong.MaxValue;
    private readonly AsyncLock _trimming = new();
    private readonly object _gate = new();
    private readonly List<ReaderRegistration> _readers = [];
    private ulong _appPosition = NoApp; // One word, because the app moves it while the trimmer reads it.

    /// <summary>Last record that the app is done with; null when the app never reads from the log.</summary>
    public Lsn? AppExecuted
    {
        get => Volatile.Read(ref _appPosition) is var position && position == NoApp ? null : new Lsn(position);
        set => Volatile.Write(ref _appPosition, value?.Value ?? NoApp);
    }

    public ReaderRegistration Register(string name, Lsn position)
    {
        var registration = new ReaderRegistration(name, position, Unregister);
        lock (_gate)
        {
            _readers.Add(registration);
        }

        return registration;
    }

    /// <summary>Deletes what may go now. A checkpoint that has to be read before it is counted on is read at this pace.</summary>
    public async ValueTask TrimAsync(CheckpointPace pace)
    {
        using (await _trimming.EnterAsync())
        {
            while (Plan() is { } kept)
            {
                if (await AreGoodAsync(kept, pace))
                {
                    await TrimOnceAsync(kept);
                    return;
                }

                if (!kept.Any(entry => IsCheckpoint(entry) && !checkpoints.Verified.Contains(entry)))
                {
                    return; // None of them was lost: one is just being made anew, and its writer comes here again.
                }
            }
        }
    }

    /// <summary>The checkpoints that are kept, newest first; null when nothing may go.</summary>
    private ManifestEntry[]? Plan()
    {
        IReadOnlyList<ManifestEntry> verified = checkpoints.Verified;
        if (verified.Count < RetentionPolicy.CountedOn)
        {
            return null;
        }

        // A log that still begins with its first record can be replayed without any checkpoint: its beginning counts as one.
        ManifestEntry[] starts = index.Segments is [{ FirstLsn.Value: 1 }, ..] ? [.. verified, default] : [.. verified];
        int count = KeptStarts(starts);
        Lsn oldest = starts[count - 1].Lsn;
        bool lets = verified.Count > count || checkpoints.LostBefore(oldest).Length > 0
            || (index.Segments is [_, var second, ..] && second.FirstLsn <= Floor(oldest).Next);
        return lets ? starts[..count] : null;
    }

    /// <summary>
    /// Whether those that are kept are there, and two of them were verified in this life: what the manifest says may be long ago. The
    /// others are read now, the newest first. False when one of them
    /// turned out to be lost: it does not count, so others are kept.
    /// </summary>
    private async ValueTask<bool> AreGoodAsync(ManifestEntry[] kept, CheckpointPace pace)
    {
        await checkpoints.LookForLostAsync();
        foreach (ManifestEntry entry in kept.Where(IsCheckpoint))
        {
            if (HasTwoGood(kept))
            {
                break;
            }

            if (!checkpoints.IsKnownGood(entry.Lsn))
            {
                await checkpoints.ProveAsync(entry.Lsn, pace);
            }
        }

        return HasTwoGood(kept);
    }

    private bool HasTwoGood(ManifestEntry[] kept) =>
        kept.Count(entry => IsCheckpoint(entry) && checkpoints.IsKnownGood(entry.Lsn)) >= RetentionPolicy.CountedOn;

    /// <summary>Not the log's beginning, which has no bytes of its own.</summary>
    private static bool IsCheckpoint(ManifestEntry start) => start.StoredBytes > 0;

    private async ValueTask TrimOnceAsync(ManifestEntry[] kept)
    {
        Lsn oldest = kept[^1].Lsn;
        Lsn[] forgotten = [.. checkpoints.Verified.Select(static entry => entry.Lsn).Where(lsn => lsn < oldest),
            .. checkpoints.LostBefore(oldest)];
        if (forgotten.Length > 0)
        {
            await checkpoints.ForgetAsync(forgotten);
        }

        int segments = 0;
        Lsn floor = Floor(oldest);
        foreach (SegmentHeader segment in index.Segments)
        {
            // Each deletion takes its time: meanwhile an app may find a kept checkpoint damaged, and begin with an older one.
            floor = Floor(oldest);
            if (!HasTwoGood(kept) || index.After(segment) is not { } next || next.FirstLsn > floor.Next)
            {
                break;
            }

            // Forgotten only when it is gone: if the device refuses, the next attempt begins here again. Passing it over would leave a
            // hole behind it.
            await checkpoints.Storage.DeleteSegmentAsync(segment.Number);
            index.Remove(segment.Number);
            segments++;
        }

        if (segments + forgotten.Length > 0)
        {
            LogStoreLog.LogTrimmed(logger, floor, segments, forgotten.Length);
        }
    }

    private int KeptStarts(ManifestEntry[] starts)
    {
        int kept = Math.Min(starts.Length, options.Retention.CheckpointCount);
        long bytes = starts.Take(kept).Sum(static entry => entry.StoredBytes);
        while (kept < starts.Length && options.Retention.ByteCount > 0)
        {
            bytes += starts[kept].StoredBytes;
            if (bytes + LogBytesSince(starts[kept].Lsn) > options.Retention.ByteCount)
            {
                break;
            }

            kept++;
        }

        return kept;
    }

    private Lsn Floor(Lsn checkpoint)
    {
        Lsn floor = AppExecuted is { } app ? Lsn.Min(checkpoint, app) : checkpoint;
        lock (_gate)
        {
            foreach (ReaderRegistration reader in _readers)
            {
                if (LogBytesSince(reader.Position) <= options.MaxReaderLag && !HasLost(reader))
                {
                    floor = Lsn.Min(floor, reader.Position);
                }
            }
        }

        return floor;
    }

    /// <summary>What it would read next is gone: it lagged too far, has to begin anew, and holds nothing until it has.</summary>
    private bool HasLost(ReaderRegistration reader) => index.Segments.Length > 0 && index.Find(reader.Position.Next) is null;

    // In whole segments: exact enough to decide about whole segments.
    private long LogBytesSince(Lsn lsn) =>
        index.Find(lsn.Next) is { } segment ? (long)(index.Last!.Number - segment.Number) * options.SegmentSize : 0;

    private void Unregister(ReaderRegistration registration)
    {
        lock (_gate)
        {
            _readers.Remove(registration);
        }
    }
}
