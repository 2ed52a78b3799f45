using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Storage.Local;

namespace Ambrosia.LogStore.Stores;

/// <summary>Opens logs that others own: nothing is written or locked there, not even by mistake.</summary>
public static class LogView
{
    /// <summary>A view of the log of one instance in a store; it need not exist.</summary>
    /// <param name="uri">The store.</param>
    /// <param name="instance">The instance.</param>
    /// <param name="options">How it is read.</param>
    /// <param name="environment">Files, clock and stores.</param>
    /// <param name="holds">What the instance deletes meanwhile stays readable until the view is closed, where the store can promise
    /// that.</param>
    public static ValueTask<WriteAheadLog> OpenAsync(string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment,
        bool holds = false) =>
        OpenAsync(LogStores.Open(uri, instance, options, environment), options, environment, holds);

    /// <summary>
    /// A view of the log in this very folder: a live instance's, a copy, a backup. Instance and cluster are those that its segments name.
    /// </summary>
    /// <param name="folder">The one that holds <c>log/</c> and <c>checkpoints/</c>.</param>
    /// <param name="environment">Files and clock.</param>
    /// <param name="holds">What the instance deletes meanwhile stays readable until the view is closed.</param>
    /// <exception cref="LogStoreException">There is no log in this folder.</exception>
    public static async ValueTask<WriteAheadLog> OpenFolderAsync(string folder, LogStoreEnvironment environment, bool holds = false)
    {
        SegmentHeader header = await FindHeaderAsync(folder, environment.Files) ?? throw await NoHeaderAsync(folder, environment.Files);
        var options = new LogStoreOptions { Cluster = header.Cluster, AllowNetworkFileSystem = true };
        LocalLogStorage storage = LocalLogStorage.InFolder(environment.Files, folder, header.Instance, options);
        return await OpenAsync(storage, options, environment, holds);
    }

    private static async ValueTask<WriteAheadLog> OpenAsync(ILogStorage storage, LogStoreOptions options, LogStoreEnvironment environment,
        bool holds)
    {
        var readOnly = new ReadOnlyLogStorage(storage);
        WriteAheadLog? log = null;
        try
        {
            if (holds)
            {
                await readOnly.HoldAsync();
            }

            return log = await WriteAheadLog.OpenAsync(readOnly, options, environment);
        }
        finally
        {
            if (log is null)
            {
                await readOnly.DisposeAsync();
            }
        }
    }

    // Checkpoints or a manifest say that there was a log, and that it is gone: that is damage, as it is to a start.
    private static async ValueTask<LogStoreException> NoHeaderAsync(string folder, IFileSystem files)
    {
        bool wasThere = (await files.ListAsync(Path.Combine(folder, "checkpoints")))
            .Any(static name => StoreNames.TryParseCheckpoint(name, out _))
            || (await files.ListAsync(folder)).Any(static name => name is "manifest.0" or "manifest.1");
        return wasThere
            ? new LogCorruptException(StoreErrors.SegmentMissing, "no segment of the log is there, or none can be read", folder, 0,
                Lsn.None,
                "the checkpoints are untouched", "put the files back from a copy; do not delete log files by hand")
            : new LogStoreException(StoreErrors.NoLogThere, "there is no log in this folder", folder, "nothing was touched",
                "name the folder of one instance: the one that holds log/ and checkpoints/");
    }

    private static async ValueTask<SegmentHeader?> FindHeaderAsync(string folder, IFileSystem files)
    {
        string log = Path.Combine(folder, "log");
        foreach (string name in await files.ListAsync(log))
        {
            if (StoreNames.TryParseSegment(name, out _) && await ReadHeaderAsync(Path.Combine(log, name), files) is { } header)
            {
                return header;
            }
        }

        return null;
    }

    private static async ValueTask<SegmentHeader?> ReadHeaderAsync(string path, IFileSystem files)
    {
        try
        {
            await using IFile file = await files.OpenAsync(path, FileOpening.Read);
            byte[] block = new byte[SegmentHeader.Size];
            int read = await file.ReadAsync(block, 0);
            return SegmentHeader.TryRead(block.AsSpan(0, read), path);
        }
        catch (FileFailedException error) when (error.Error == Errno.ENOENT)
        {
            return null; // The writer let go of it meanwhile; a later one says the same.
        }
    }
}
