using Ambrosia.LogStore.Files;

namespace Ambrosia.CoordinatorHost.Metrics;

/// <summary>
/// What an instance occupies on the disk that its log lies on, and what is left there. It looks when somebody asks, every few seconds at
/// most.
/// </summary>
internal sealed class DiskFigures(IFileSystem files, string folder, TimeProvider time)
{
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(5);
    private int _looking;
    private long _looked;
    private long _used = -1;
    private long _free = -1;

    /// <summary>Bytes of the instance's files; null while they are not known.</summary>
    public long? Used => Known(ref _used);

    /// <summary>Bytes that are left for it; null while they are not known.</summary>
    public long? Free => Known(ref _free);

    /// <summary>Looks, unless it has just done so.</summary>
    public async ValueTask LookAsync()
    {
        // A device that hangs keeps one look, and no other.
        if (Interlocked.Exchange(ref _looking, 1) != 0)
        {
            return;
        }

        try
        {
            if (_looked != 0 && time.GetElapsedTime(_looked) < s_pause)
            {
                return;
            }

            _looked = time.GetTimestamp();
            Volatile.Write(ref _used, await SizeOfAsync(folder));
            Volatile.Write(ref _free, (await files.VolumeAsync(folder)).FreeBytes);
        }
        catch (FileFailedException)
        {
            // There is no folder yet, or it may not be read: nothing is known, and the metrics say nothing.
            Volatile.Write(ref _used, -1);
            Volatile.Write(ref _free, -1);
            _looked = 0; // Else a start is without them for as long as the pause is.
        }
        finally
        {
            Volatile.Write(ref _looking, 0);
        }
    }

    private async ValueTask<long> SizeOfAsync(string path)
    {
        long size = 0;
        foreach (string name in await files.ListAsync(path))
        {
            string entry = Path.Combine(path, name);
            // What was deleted meanwhile has no status.
            size += IsFolder(name) ? await SizeOfAsync(entry) : (await files.StatAsync(entry))?.Length ?? 0;
        }

        return size;
    }

    // The folders in an instance's own (docs/internals/log-format.md, section 2); each replica has a scratch folder.
    private static bool IsFolder(string name) => name is "log" or "checkpoints" || name.StartsWith("scratch", StringComparison.Ordinal);

    private static long? Known(ref long value) => Volatile.Read(ref value) is var known and >= 0 ? known : null;
}
