using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;

namespace Ambrosia.LogStore.Storage.Local;

/// <summary>A segment or checkpoint that is a file.</summary>
internal sealed class LocalStoredFile(IFileSystem files, IFile file) : IStoredFile
{
    private const int ReadAttempts = 3;
    private const int ZeroChunk = 256 * 1024;
    private static readonly byte[] Zeros = new byte[ZeroChunk];

    public string Name => file.Path;

    public async ValueTask<long> GetLengthAsync() => (await file.StatAsync()).Length;

    public async ValueTask<int> ReadAsync(Memory<byte> destination, long offset)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                return await file.ReadAsync(destination, offset);
            }
            catch (FileFailedException error) when (error.Error == Errno.EIO)
            {
                // A device may read at the second try what it failed to read at the first. What stays unreadable must not look like an end.
                if (attempt == ReadAttempts)
                {
                    throw new LogStoreException(StoreErrors.DeviceCannotRead,
                        $"the device cannot read {destination.Length} bytes ({error.Error})", $"{Name} offset 0x{offset:x}",
                        "nothing was changed", "repair or replace the device, or restore the instance's folder from a copy", error);
                }
            }
        }
    }

    public async ValueTask<bool> TryHoldAsync() =>
        // A process that makes a spare of a segment takes the lock first. The name is looked at after that: it may have gone just before.
        await file.TryShareLockAsync() && await IsNamedAsync();

    public ValueTask AppendAsync(ReadOnlyMemory<byte> source, long offset) => file.WriteAsync(source, offset);

    public ValueTask SyncAsync() => file.SyncDataAsync();

    public ValueTask SettleAsync() => file.SyncDataAsync();

    public async ValueTask CutAsync(long length)
    {
        await file.TruncateAsync(length);
        await file.SyncAsync();
    }

    public async ValueTask PrepareAsync(long from, long to)
    {
        for (long offset = from; offset < to; offset += ZeroChunk)
        {
            await file.WriteAsync(Zeros.AsMemory(0, (int)Math.Min(ZeroChunk, to - offset)), offset);
            // In small pieces: a sync of the log that comes meanwhile waits for one piece, not for all.
            await file.SyncDataAsync();
        }
    }

    public async ValueTask VerifyIdentityAsync()
    {
        if (!await IsNamedAsync())
        {
            throw new LogStoreException(StoreErrors.FileReplaced, "the log's file was deleted or replaced while in use", Name,
                "the files before it, and checkpoints; what it held is gone with it",
                "do not start again without it: put it back, or restore a copy of all instances of one instant");
        }
    }

    public ValueTask DisposeAsync() => file.DisposeAsync();

    private async ValueTask<bool> IsNamedAsync()
    {
        FileStatus open = await file.StatAsync();
        return open.Links > 0 && await files.StatAsync(Name) is { } named && named.IsSameFile(open);
    }
}
