using Ambrosia.LogStore.Files;

namespace Ambrosia.LogStore.Tests.Processes;

/// <summary>An open file whose calls are counted with those of its file system.</summary>
internal sealed class StoppingFile(IFile file, Action pass) : IFile
{
    public string Path => file.Path;

    public ValueTask<int> ReadAsync(Memory<byte> destination, long offset) => Passed().ReadAsync(destination, offset);

    public ValueTask WriteAsync(ReadOnlyMemory<byte> source, long offset) => Passed().WriteAsync(source, offset);

    public ValueTask SyncDataAsync() => Passed().SyncDataAsync();

    public ValueTask SyncAsync() => Passed().SyncAsync();

    public ValueTask TruncateAsync(long length) => Passed().TruncateAsync(length);

    public ValueTask<FileStatus> StatAsync() => Passed().StatAsync();

    public ValueTask<bool> TryLockAsync() => Passed().TryLockAsync();

    public ValueTask<bool> TryShareLockAsync() => Passed().TryShareLockAsync();

    public ValueTask LockAsync(CancellationToken cancellationToken) => Passed().LockAsync(cancellationToken);

    public ValueTask DisposeAsync() => Passed().DisposeAsync();

    private IFile Passed()
    {
        pass();
        return file;
    }
}
