using Ambrosia.LogStore.Files;

namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>An open file with the switch around what can change or lose something.</summary>
internal sealed class SwitchedFile(PowerSwitch power, IFile file) : IFile
{
    public string Path => file.Path;

    public ValueTask<int> ReadAsync(Memory<byte> destination, long offset) => file.ReadAsync(destination, offset);

    public async ValueTask WriteAsync(ReadOnlyMemory<byte> source, long offset) =>
        await PassAsync("pwrite", () => file.WriteAsync(source, offset));

    public async ValueTask SyncDataAsync() => await PassAsync("fdatasync", file.SyncDataAsync);

    public async ValueTask SyncAsync() => await PassAsync("fsync", file.SyncAsync);

    public async ValueTask TruncateAsync(long length) => await PassAsync("ftruncate", () => file.TruncateAsync(length));

    public ValueTask<FileStatus> StatAsync() => file.StatAsync();

    public ValueTask<bool> TryLockAsync() => file.TryLockAsync();

    public ValueTask<bool> TryShareLockAsync() => file.TryShareLockAsync();

    public ValueTask LockAsync(CancellationToken cancellationToken) => file.LockAsync(cancellationToken);

    public async ValueTask DisposeAsync()
    {
        try
        {
            await file.DisposeAsync();
        }
        catch (FileFailedException) when (power.IsGoing)
        {
            // The process is dead: nobody sees what closing says.
        }
    }

    private async ValueTask PassAsync(string call, Func<ValueTask> run) => await power.PassAsync(call, file.Path, async () =>
    {
        await run();
        return true;
    });
}
