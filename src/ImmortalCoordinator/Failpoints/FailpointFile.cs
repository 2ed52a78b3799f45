using Ambrosia.LogStore.Files;

namespace Ambrosia.ImmortalCoordinator.Failpoints;

/// <summary>One file of <see cref="FailpointFiles"/>.</summary>
internal sealed class FailpointFile(IFile file, FailpointFiles owner) : IFile
{
    private bool _unsyncedRecord;

    public string Path => file.Path;

    public async ValueTask WriteAsync(ReadOnlyMemory<byte> source, long offset)
    {
        bool record = FailpointFiles.IsSegment(Path) && HoldsRecord(source.Span);
        string? half = record ? "K4" : FailpointFiles.IsCheckpointBeingWritten(Path) ? "K15" : null;
        if (half is not null && Failpoint.IsArmed(half))
        {
            await file.WriteAsync(source[..(source.Length / 2)], offset);
            Failpoint.Pass(half);
        }

        await file.WriteAsync(source, offset);
        _unsyncedRecord |= record;
        if (record && owner.TakeFresh(Path))
        {
            Failpoint.Pass("K14");
        }
    }

    public async ValueTask SyncDataAsync()
    {
        PassUnsynced();
        await file.SyncDataAsync();
        PassSynced();
    }

    public async ValueTask SyncAsync()
    {
        PassUnsynced();
        await file.SyncAsync();
        PassSynced();
    }

    public ValueTask<int> ReadAsync(Memory<byte> destination, long offset) => file.ReadAsync(destination, offset);

    public ValueTask TruncateAsync(long length) => file.TruncateAsync(length);

    public ValueTask<FileStatus> StatAsync() => file.StatAsync();

    public ValueTask<bool> TryLockAsync() => file.TryLockAsync();

    public ValueTask<bool> TryShareLockAsync() => file.TryShareLockAsync();

    public ValueTask LockAsync(CancellationToken cancellationToken) => file.LockAsync(cancellationToken);

    public ValueTask DisposeAsync() => file.DisposeAsync();

    // Space is prepared with zeros; a record begins with its header.
    private static bool HoldsRecord(ReadOnlySpan<byte> bytes) => bytes[..Math.Min(64, bytes.Length)].ContainsAnyExcept((byte)0);

    private void PassUnsynced()
    {
        if (_unsyncedRecord)
        {
            Failpoint.Pass("K5");
        }
    }

    private void PassSynced()
    {
        if (_unsyncedRecord)
        {
            _unsyncedRecord = false;
            Failpoint.Pass("K6");
        }
    }
}
