namespace Ambrosia.LogStore.Files;

/// <summary>An open file. Reads and writes carry their offset; there is no position.</summary>
public interface IFile : IAsyncDisposable
{
    /// <summary>The path it was opened by, for messages.</summary>
    string Path { get; }

    /// <summary>Reads until the destination is full or the file ends; returns the bytes read.</summary>
    ValueTask<int> ReadAsync(Memory<byte> destination, long offset);

    /// <summary>Writes all bytes. They are durable only after a sync.</summary>
    ValueTask WriteAsync(ReadOnlyMemory<byte> source, long offset);

    /// <summary>Makes the file's data, and a length that reading it needs, durable (fdatasync).</summary>
    ValueTask SyncDataAsync();

    /// <summary>Makes data and all metadata durable (fsync).</summary>
    ValueTask SyncAsync();

    /// <summary>Sets the length.</summary>
    ValueTask TruncateAsync(long length);

    /// <summary>Status of the open file, which may meanwhile have no name.</summary>
    ValueTask<FileStatus> StatAsync();

    /// <summary>Takes the exclusive advisory lock; false when another holds it. It ends with the file's closing or the process.</summary>
    ValueTask<bool> TryLockAsync();

    /// <summary>
    /// Takes the advisory lock together with others that share it; false when somebody holds it exclusively. It keeps an exclusive one
    /// away, and ends as that does. A file opened for reading suffices.
    /// </summary>
    ValueTask<bool> TryShareLockAsync() => new(false);

    /// <summary>Waits for the exclusive advisory lock without polling.</summary>
    ValueTask LockAsync(CancellationToken cancellationToken);
}
