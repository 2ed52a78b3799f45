using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Loops;
using Ambrosia.LogStore.Read;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore;

/// <summary>
/// Deletes what nobody can need: below the second newest verified checkpoint, the app's position and registered readers (PROTOCOL H17), as
/// far as the policy lets go of it. Oldest first, so that what is left is always one piece.
/// </summary>
internal sealed class LogTrimmer(CheckpointStore checkpoints, SegmentIndex index, LogStoreOptions options, ILogger logger)
{
    private const ulong NoApp = ulong.MaxValue;
    private readonly AsyncLock _trimming = new();
    private readonly object _gate = new();
    private readonly List<ReaderRegistration> _readers = [];
    private ulong _appPosition = NoApp; // One word, because the app moves it while the trimmer reads it.

    /// <summary>Last record that the app is done with; null when the app never reads from the log.</summary>
    public Lsn? AppPosition
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

    /// <summary>Deletes what may go now.</summary>
    public async ValueTask TrimAsync()
    {
        using (await _trimming.EnterAsync())
        {
            await TrimOnceAsync();
        }
    }

    private async ValueTask TrimOnceAsync()
    {
        IReadOnlyList<ManifestEntry> verified = checkpoints.Verified;
        if (verified.Count < 2)
        {
            return;
        }

        // A log that still begins with its first record can be replayed without any checkpoint: its beginning counts as one.
        ManifestEntry[] starts = index.Segments is [{ FirstLsn.Value: 1 }, ..] ? [.. verified, default] : [.. verified];
        int kept = KeptStarts(starts);
        Lsn floor = Floor(starts[kept - 1].Lsn);
        Lsn[] forgotten = [.. verified.Skip(kept).Select(static entry => entry.Lsn)];
        if (forgotten.Length > 0)
        {
            await checkpoints.ForgetAsync(forgotten);
        }

        int segments = 0;
        foreach (SegmentHeader segment in index.Segments)
        {
            if (index.After(segment) is not { } next || next.FirstLsn > floor.Next)
            {
                break;
            }

            // Forgotten only when it is gone: if the device refuses, the next attempt begins here again. Passing it over would leave a hole behind it.
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
        Lsn floor = AppPosition is { } app ? Lsn.Min(checkpoint, app) : checkpoint;
        lock (_gate)
        {
            foreach (ReaderRegistration reader in _readers)
            {
                if (LogBytesSince(reader.Position) <= options.MaxReaderLag)
                {
                    floor = Lsn.Min(floor, reader.Position);
                }
            }
        }

        return floor;
    }

    // In whole segments: exact enough to decide about whole segments.
    private long LogBytesSince(Lsn lsn) => index.Find(lsn.Next) is { } segment ? (long)(index.Last!.Number - segment.Number) * options.SegmentSize : 0;

    private void Unregister(ReaderRegistration registration)
    {
        lock (_gate)
        {
            _readers.Remove(registration);
        }
    }
}
