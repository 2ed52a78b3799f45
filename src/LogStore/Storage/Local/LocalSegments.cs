using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.LogStore.Storage.Local;

/// <summary>The folder <c>log</c>: segments, spare ones to be written again, copies of cut tails.</summary>
internal sealed class LocalSegments(IFileSystem files, string folder, LogStoreOptions options)
{
    // Segment numbers begin at 1, so a spare that was never a segment can be number 0.
    private const ulong NeverUsed = 0;

    // Spares whose name may not be durable yet. After a power cut each would be the segment again that it was.
    private readonly HashSet<string> _unsettled = [];

    public async ValueTask<IReadOnlyList<ulong>> ListAsync()
    {
        var numbers = new List<ulong>();
        foreach (string name in await files.ListAsync(folder))
        {
            if (StoreNames.TryParseSegment(name, out ulong number))
            {
                numbers.Add(number);
            }
        }

        numbers.Sort();
        return numbers;
    }

    public async ValueTask<IStoredFile?> OpenAsync(ulong number, bool writable)
    {
        try
        {
            return new LocalStoredFile(files, await files.OpenAsync(PathOf(number), writable ? FileOpening.ReadWrite : FileOpening.Read));
        }
        catch (FileFailedException error) when (error.Error == Errno.ENOENT)
        {
            return null;
        }
    }

    /// <summary>
    /// The header is synced before the file gets its name, and the name before the call returns. So a named segment whose header is
    /// damaged is never a creation that a crash interrupted: it is damage, and its epoch, which may have been told to peers, is not
    /// forgotten.
    /// </summary>
    public async ValueTask<IStoredFile?> CreateAsync(ulong number, ReadOnlyMemory<byte> header)
    {
        string path = PathOf(number);
        string aside = await FindSpareAsync() ?? await MakeEmptyAsync(path + StoreNames.TemporarySuffix);
        await using (IFile file = await files.OpenAsync(aside, FileOpening.ReadWrite))
        {
            await file.WriteAsync(header, 0);
            await file.SyncAsync();
        }

        if (!await files.TryRenameNewAsync(aside, path))
        {
            return null;
        }

        await files.SyncFolderAsync(folder);
        return new LocalStoredFile(files, await files.OpenAsync(path, FileOpening.ReadWrite));
    }

    public async ValueTask DeleteAsync(ulong number)
    {
        bool isWanted = files.LocksFollowFiles && (await SparesAsync()).Count < options.SpareSegments
            && await files.StatAsync(PathOf(number)) is { } status && status.Length >= options.SegmentSize / 2;
        string spare = Path.Combine(folder, StoreNames.Spare(number));
        lock (_unsettled)
        {
            _unsettled.Add(spare);
        }

        if (!isWanted || !await TryMakeSpareAsync(number, spare))
        {
            await files.DeleteAsync(PathOf(number));
        }

        await files.SyncFolderAsync(folder);
        lock (_unsettled)
        {
            _unsettled.Remove(spare); // Not when a call failed: nobody knows then which of its names lasts.
        }
    }

    /// <summary>
    /// A spare is written over: nobody may be reading it. The lock is given back when the old name is gone, by which a later one
    /// sees that it is too late.
    /// </summary>
    private async ValueTask<bool> TryMakeSpareAsync(ulong number, string spare)
    {
        await using IFile file = await files.OpenAsync(PathOf(number), FileOpening.ReadWrite);
        if (!await file.TryLockAsync())
        {
            return false;
        }

        await files.RenameAsync(PathOf(number), spare);
        return true;
    }

    public async ValueTask<bool> KeepTailAsync(ulong number, ReadOnlyMemory<byte> tail)
    {
        try
        {
            await FileReplacement.WriteAsync(files, PathOf(number) + StoreNames.BrokenSuffix, tail);
            return true;
        }
        catch (FileFailedException error) when (error.Error is Errno.ENOSPC or Errno.EDQUOT)
        {
            await files.DeleteAsync(PathOf(number) + StoreNames.BrokenSuffix + StoreNames.TemporarySuffix);
            return false;
        }
    }

    /// <summary>Makes one spare segment full of zeros when there is none and the disk is far from full.</summary>
    public async ValueTask<bool> PrepareSpareAsync()
    {
        if (options.SpareSegments == 0 || (await SparesAsync()).Count > 0
            || (await files.VolumeAsync(folder)).FreeBytes < 4 * options.SegmentSize)
        {
            return false;
        }

        string path = Path.Combine(folder, StoreNames.Spare(NeverUsed));
        string temporary = path + StoreNames.TemporarySuffix;
        await files.DeleteAsync(temporary);
        await using (var spare = new LocalStoredFile(files, await files.OpenAsync(temporary, FileOpening.CreateNew)))
        {
            await spare.PrepareAsync(0, options.SegmentSize);
            await spare.SyncAsync();
        }

        await files.RenameAsync(temporary, path);
        await files.SyncFolderAsync(folder);
        return true;
    }

    public async ValueTask RemoveLeftoversAsync()
    {
        int spares = 0;
        foreach (string name in await files.ListAsync(folder))
        {
            bool surplus = StoreNames.TryParseSpare(name, out _)
                && (await HasOtherNameAsync(Path.Combine(folder, name)) || ++spares > options.SpareSegments);
            if (surplus || name.EndsWith(StoreNames.TemporarySuffix, StringComparison.Ordinal))
            {
                await files.DeleteAsync(Path.Combine(folder, name));
            }
        }

        // A predecessor may have been killed between making a segment a spare and syncing that: written over, it would be a segment again
        // after a power cut.
        await files.SyncFolderAsync(folder);
    }

    private string PathOf(ulong number) => Path.Combine(folder, StoreNames.Segment(number));

    private async ValueTask<string?> FindSpareAsync()
    {
        foreach (string spare in await SparesAsync())
        {
            if (IsUnsettled(spare))
            {
                continue;
            }

            if (!await HasOtherNameAsync(spare))
            {
                return spare;
            }

            await files.DeleteAsync(spare);
        }

        return null;
    }

    private bool IsUnsettled(string spare)
    {
        lock (_unsettled)
        {
            return _unsettled.Contains(spare);
        }
    }

    /// <summary>
    /// A file system that cannot rename without replacing gives a spare its name as a segment first and takes the old one away
    /// afterwards: a process that was killed in between left a spare that is a segment of the
    /// log. A person may have made a second name, too, for a backup. Nobody may write over either.
    /// </summary>
    private async ValueTask<bool> HasOtherNameAsync(string path) => await files.StatAsync(path) is { Links: > 1 };

    private async ValueTask<IReadOnlyList<string>> SparesAsync() =>
        [.. (await files.ListAsync(folder)).Where(static name => StoreNames.TryParseSpare(name, out _))
            .Select(name => Path.Combine(folder, name))];

    private async ValueTask<string> MakeEmptyAsync(string path)
    {
        await files.DeleteAsync(path);
        await using IFile file = await files.OpenAsync(path, FileOpening.CreateNew);
        return path;
    }
}
