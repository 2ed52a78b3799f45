namespace Ambrosia.LogStore.Files;

/// <summary>The one way a file gets its final content: write aside, sync, rename, sync the folder.</summary>
internal static class FileReplacement
{
    /// <summary>Replaces a file atomically and durably; a crash leaves the old content or the new.</summary>
    public static async ValueTask WriteAsync(IFileSystem files, string path, ReadOnlyMemory<byte> content)
    {
        string temporary = path + ".tmp";
        await files.DeleteAsync(temporary);
        await using (IFile file = await files.OpenAsync(temporary, FileOpening.CreateNew))
        {
            await file.WriteAsync(content, 0);
            await file.SyncAsync();
        }

        await files.RenameAsync(temporary, path);
        await files.SyncFolderAsync(Path.GetDirectoryName(path)!);
    }

    /// <summary>Reads a whole small file; null when it does not exist or is larger than the limit.</summary>
    public static async ValueTask<byte[]?> ReadAsync(IFileSystem files, string path, int limit)
    {
        IFile file;
        try
        {
            file = await files.OpenAsync(path, FileOpening.Read);
        }
        catch (FileFailedException error) when (error.Error == Errno.ENOENT)
        {
            return null;
        }

        await using (file)
        {
            // The open file's own size: the name may lead to a newer one by now.
            FileStatus status = await file.StatAsync();
            byte[] content = new byte[Math.Min(status.Length, limit + 1L)];
            int read = await file.ReadAsync(content, 0);
            return read > limit ? null : content[..read];
        }
    }
}
