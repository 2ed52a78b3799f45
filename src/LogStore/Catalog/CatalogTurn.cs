using System.Globalization;
using System.Text;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;

namespace Ambrosia.LogStore.Catalog;

/// <summary>
/// The right to change entries, which one process of the machine has at a time: the lock of <c>.lock</c>, and a folder <c>.turn.17</c>
/// through which each change goes by a rename. A process that keeps it for
/// too long (a stopped process keeps its lock) is ignored: another lock file replaces the one that it holds, and its folder goes. When it
/// goes on, its rename finds no folder, so it changes nothing.
/// </summary>
internal sealed class CatalogTurn : IAsyncDisposable
{
    private const string Prefix = ".turn.";
    private const int Digits = 19;
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(20);
    private readonly IFileSystem _files;
    private readonly IFile _lock;
    private readonly string _folder;
    private readonly string _own;

    private CatalogTurn(IFileSystem files, IFile held, string folder, string own) =>
        (_files, _lock, _folder, _own) = (files, held, folder, own);

    /// <summary>Waits until nobody else has it, for each of the others no longer than patience lasts.</summary>
    public static async ValueTask<CatalogTurn> EnterAsync(IFileSystem files, string folder, TimeProvider time, TimeSpan patience)
    {
        string path = Path.Combine(folder, ".lock");
        (FileStatus File, ulong Number) holder = default;
        long since = time.GetTimestamp();
        while (true)
        {
            IFile file = await files.OpenAsync(path, FileOpening.ReadWriteOrCreate);
            try
            {
                if (await file.TryLockAsync())
                {
                    if (await TryBeginAsync(files, file, folder, path) is { } turn)
                    {
                        return turn;
                    }

                    await file.DisposeAsync();
                    continue; // Another lock file has taken its place meanwhile.
                }

                (FileStatus, ulong) now = ((await file.StatAsync()) with { Length = 0 }, await ReadNumberAsync(file));
                if (now != holder)
                {
                    (holder, since) = (now, time.GetTimestamp());
                }
                else if (time.GetElapsedTime(since) >= patience)
                {
                    if (files.LocksFollowFiles && await TryIgnoreAsync(files, file, folder, path) is { } turn)
                    {
                        await file.DisposeAsync();
                        return turn;
                    }

                    if (time.GetElapsedTime(since) >= 2 * patience)
                    {
                        throw new LogStoreException(StoreErrors.CatalogLocked,
                            $"a process has held the catalog's lock for {2 * patience.TotalSeconds:F0} s and cannot be ignored", path,
                            "no entry was changed",
                            "end the processes that hold .lock and .lock.next (fuser names them): both stand still");
                    }
                }
            }
            catch (Exception error) when (error is IOException or OperationCanceledException)
            {
                await file.DisposeAsync();
                throw;
            }

            await file.DisposeAsync();
            await Pause.ForAsync(s_look, time);
        }
    }

    /// <summary>Replaces an entry atomically and durably. False when this turn is ignored: nothing has changed.</summary>
    public async ValueTask<bool> TryReplaceAsync(string entry, ReadOnlyMemory<byte> content)
    {
        string aside = Path.Combine(_own, "new");
        try
        {
            await using (IFile file = await _files.OpenAsync(aside, FileOpening.CreateNew))
            {
                await file.WriteAsync(content, 0);
                await file.SyncAsync();
            }

            await _files.RenameAsync(aside, entry);
        }
        catch (FileFailedException error) when (error.Error == Errno.ENOENT)
        {
            return false;
        }

        await _files.SyncFolderAsync(_folder);
        return true;
    }

    /// <summary>Removes an entry durably. Null when this turn is ignored: nothing has changed. False when there was none.</summary>
    public async ValueTask<bool?> TryRemoveAsync(string entry)
    {
        try
        {
            await _files.RenameAsync(entry, Path.Combine(_own, "old"));
        }
        catch (FileFailedException error) when (error.Error == Errno.ENOENT)
        {
            return await _files.StatAsync(_own) is null ? null : false;
        }

        try
        {
            await _files.SyncFolderAsync(_own);
        }
        catch (FileFailedException error) when (error.Error == Errno.ENOENT)
        {
            // Ignored since then: the process that did so counts on the removal.
        }

        await _files.SyncFolderAsync(_folder);
        return true;
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            await DeleteTurnAsync(_files, _own);
        }
        catch (FileFailedException)
        {
            // The change is made; the next one tidies up.
        }

        await _lock.DisposeAsync();
    }

    /// <summary>
    /// The lock is held. Its number is written down before the folders of others go, so that none is used twice: a number that is, would
    /// let a process that is ignored change what another one writes. Only when the
    /// own folder is there it is asked whether the lock still counts: a process that ignores this one later finds the folder.
    /// </summary>
    private static async ValueTask<CatalogTurn?> TryBeginAsync(IFileSystem files, IFile held, string folder, string path)
    {
        if (!await IsNamedAsync(files, held, path))
        {
            return null;
        }

        List<ulong> others = await ListTurnsAsync(files, folder);
        ulong number = Math.Max(await ReadNumberAsync(held), others.Count == 0 ? 0 : others.Max()) + 1;
        await WriteNumberAsync(held, number);
        foreach (ulong other in others)
        {
            await DeleteTurnAsync(files, PathOf(folder, other));
        }

        string own = PathOf(folder, number);
        await files.CreateFolderAsync(own);
        return await IsNamedAsync(files, held, path) ? new CatalogTurn(files, held, folder, own) : null;
    }

    /// <summary>
    /// Puts a lock file of our own in the place of one whose holder does not move. Null when another process does that already, or the
    /// holder has gone on.
    /// </summary>
    private static async ValueTask<CatalogTurn?> TryIgnoreAsync(IFileSystem files, IFile stuck, string folder, string path)
    {
        string aside = path + ".next";
        IFile next = await files.OpenAsync(aside, FileOpening.ReadWriteOrCreate);
        try
        {
            // Only the holder of this lock, under this name, may replace the other file.
            if (await next.TryLockAsync() && await IsNamedAsync(files, next, aside) && await IsNamedAsync(files, stuck, path)
                && !await stuck.TryLockAsync())
            {
                await WriteNumberAsync(next, await ReadNumberAsync(stuck));
                await files.RenameAsync(aside, path);
                if (await TryBeginAsync(files, next, folder, path) is { } turn)
                {
                    return turn;
                }
            }
        }
        catch (IOException)
        {
            await next.DisposeAsync();
            throw;
        }

        await next.DisposeAsync();
        return null;
    }

    private static string PathOf(string folder, ulong number) =>
        Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"{Prefix}{number}"));

    private static async ValueTask<List<ulong>> ListTurnsAsync(IFileSystem files, string folder)
    {
        var found = new List<ulong>();
        foreach (string name in await files.ListAsync(folder))
        {
            if (name.StartsWith(Prefix, StringComparison.Ordinal)
                && ulong.TryParse(name.AsSpan(Prefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out ulong number))
            {
                found.Add(number);
            }
        }

        return found;
    }

    private static async ValueTask DeleteTurnAsync(IFileSystem files, string turn)
    {
        do
        {
            foreach (string name in await files.ListAsync(turn))
            {
                await files.DeleteAsync(Path.Combine(turn, name));
            }
        }
        while (!await files.DeleteFolderAsync(turn)); // Its owner may just be putting something there, which it does once.
    }

    private static async ValueTask<bool> IsNamedAsync(IFileSystem files, IFile file, string path)
    {
        FileStatus open = await file.StatAsync();
        return await files.StatAsync(path) is { } named && named.IsSameFile(open);
    }

    /// <summary>The number of the last turn, which stands in the lock file; 0 in one that nobody has written.</summary>
    private static async ValueTask<ulong> ReadNumberAsync(IFile file)
    {
        byte[] text = new byte[Digits];
        int read = await file.ReadAsync(text, 0);
        return ulong.TryParse(Encoding.ASCII.GetString(text, 0, read), NumberStyles.None, CultureInfo.InvariantCulture, out ulong number)
            ? number : 0;
    }

    private static ValueTask WriteNumberAsync(IFile file, ulong number) =>
        file.WriteAsync(Encoding.ASCII.GetBytes(number.ToString("d19", CultureInfo.InvariantCulture)), 0);
}
