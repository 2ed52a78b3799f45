using Ambrosia.LogStore.Files;

namespace Ambrosia.LogStore.Storage;

/// <summary>
/// Segments and checkpoints as there were when a reader began: those that the writer deletes meanwhile stay readable, where the backend can
/// promise that. Their space comes back when this is closed, or its process ends.
/// </summary>
internal sealed class HeldFiles : IAsyncDisposable
{
    /// <summary>Most segments that are held: each is an open file.</summary>
    public const int MostSegments = 4096;

    private readonly SortedDictionary<ulong, IStoredFile> _segments = [];
    private readonly Dictionary<Lsn, IStoredFile> _checkpoints = [];

    private HeldFiles()
    {
    }

    /// <summary>Holds what there is now; nothing when this process may not open so many files.</summary>
    public static async ValueTask<HeldFiles> OpenAsync(ILogStorage storage)
    {
        var held = new HeldFiles();
        try
        {
            if (storage.IsNear) // Where files are requests, none of them can be held.
            {
                await held.HoldAllAsync(storage);
            }
        }
        catch (FileFailedException error) when (error.Error is Errno.EMFILE or Errno.ENFILE)
        {
            await held.DisposeAsync();
            return new HeldFiles();
        }

        return held;
    }

    /// <summary>
    /// All segments that can be read. Those that are new are held from now on, too, so that nothing goes that this reader has seen.
    /// </summary>
    public async ValueTask<IReadOnlyList<ulong>> ListSegmentsAsync(ILogStorage storage)
    {
        IReadOnlyList<ulong> present = await storage.ListSegmentsAsync();
        if (_segments.Count == 0)
        {
            return present;
        }

        // What came and went since the last look lies between: then the log ends for this reader where its own part ends.
        ulong last = _segments.Keys.Last();
        foreach (ulong number in present.Where(number => number > last))
        {
            if (number != last + 1 || _segments.Count >= MostSegments
                || !await HoldAsync(_segments, number, () => storage.OpenSegmentAsync(number, writable: false)))
            {
                break;
            }

            last = number;
        }

        return [.. _segments.Keys];
    }

    /// <summary>All checkpoints that can be read, when these are there; newest first.</summary>
    public IReadOnlyList<Lsn> With(IReadOnlyList<Lsn> present) =>
        [.. present.Union(_checkpoints.Keys).OrderByDescending(static lsn => lsn)];

    /// <summary>A segment that is held; null for any other.</summary>
    public IStoredFile? Find(ulong number) => _segments.TryGetValue(number, out IStoredFile? file) ? new HeldFile(file) : null;

    /// <summary>A checkpoint that is held; null for any other.</summary>
    public IStoredFile? Find(Lsn checkpoint) => _checkpoints.TryGetValue(checkpoint, out IStoredFile? file) ? new HeldFile(file) : null;

    public async ValueTask DisposeAsync()
    {
        foreach (IStoredFile file in _segments.Values.Concat(_checkpoints.Values))
        {
            await file.DisposeAsync();
        }
    }

    private async ValueTask HoldAllAsync(ILogStorage storage)
    {
        foreach (Lsn lsn in await storage.ListCheckpointsAsync())
        {
            await HoldAsync(_checkpoints, lsn, () => storage.OpenCheckpointAsync(lsn));
        }

        // The newest first: what is deleted meanwhile goes at the old end, and what is held must be one piece.
        foreach (ulong number in (await storage.ListSegmentsAsync()).Reverse().Take(MostSegments))
        {
            if (!await HoldAsync(_segments, number, () => storage.OpenSegmentAsync(number, writable: false)))
            {
                break;
            }
        }
    }

    private static async ValueTask<bool> HoldAsync<T>(IDictionary<T, IStoredFile> held, T key, Func<ValueTask<IStoredFile?>> open)
    {
        IStoredFile? file = null;
        try
        {
            file = await open();
            if (file is not null && await file.TryHoldAsync())
            {
                held.Add(key, file);
                return true;
            }
        }
        catch (FileFailedException error) when (error.Error is not (Errno.EMFILE or Errno.ENFILE))
        {
            // Its reader says what is wrong with it.
        }

        if (file is not null)
        {
            await file.DisposeAsync();
        }

        return false;
    }
}
