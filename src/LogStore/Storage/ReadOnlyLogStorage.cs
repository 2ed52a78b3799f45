namespace Ambrosia.LogStore.Storage;

/// <summary>
/// Any backend, with everything taken away that writes, creates, deletes or locks: what debuggers and retroactive tests open a log
/// through. A call that would change the store is a mistake of ours and throws before it reaches the backend.
/// </summary>
public sealed class ReadOnlyLogStorage(ILogStorage inner) : ILogStorage
{
    private HeldFiles? _held;

    /// <summary>What the log's writer deletes from now on stays readable here, where the backend can promise that.</summary>
    public async ValueTask HoldAsync() => _held ??= await HeldFiles.OpenAsync(inner);

    public string Instance => inner.Instance;

    public string Location => inner.Location;

    public bool HasExactEnds => inner.HasExactEnds;

    public bool IsNear => inner.IsNear;

    public TimeSpan LongestPause => inner.LongestPause;

    public ValueTask PrepareAsync() => throw Refused(nameof(PrepareAsync));

    public ValueTask<ILogLease?> AcquireLeaseAsync(bool wait, CancellationToken cancellationToken) =>
        throw Refused(nameof(AcquireLeaseAsync));

    public ValueTask<ILogLease?> AcquireNamedLeaseAsync(string name, bool wait, CancellationToken cancellationToken) =>
        throw Refused(nameof(AcquireNamedLeaseAsync));

    public ValueTask<string?> ReadHolderAsync() => inner.ReadHolderAsync();

    public ValueTask<string?> ReadBeatAsync() => inner.ReadBeatAsync();

    public ValueTask<bool> IsHeldAsync() => inner.IsHeldAsync();

    public ValueTask<string?> ReadSideHolderAsync(string name) => inner.ReadSideHolderAsync(name);

    public ValueTask<IReadOnlyList<ulong>> ListSegmentsAsync() => _held?.ListSegmentsAsync(inner) ?? inner.ListSegmentsAsync();

    public ValueTask<IStoredFile?> OpenSegmentAsync(ulong number, bool writable) =>
        writable ? throw Refused(nameof(OpenSegmentAsync))
            : _held?.Find(number) is { } held ? new(held) : inner.OpenSegmentAsync(number, writable: false);

    public ValueTask KeepContractAsync(ReadOnlyMemory<byte> text) => throw Refused(nameof(KeepContractAsync));

    public ValueTask<IReadOnlyList<byte[]>> ReadContractsAsync() => inner.ReadContractsAsync();

    public ValueTask<IStoredFile?> CreateSegmentAsync(ulong number, ReadOnlyMemory<byte> header) =>
        throw Refused(nameof(CreateSegmentAsync));

    public ValueTask DeleteSegmentAsync(ulong number) => throw Refused(nameof(DeleteSegmentAsync));

    public ValueTask<bool> KeepTailAsync(ulong number, ReadOnlyMemory<byte> tail) => throw Refused(nameof(KeepTailAsync));

    public ValueTask<bool> PrepareSpaceAsync() => throw Refused(nameof(PrepareSpaceAsync));

    public async ValueTask<IReadOnlyList<Lsn>> ListCheckpointsAsync()
    {
        IReadOnlyList<Lsn> present = await inner.ListCheckpointsAsync();
        return _held?.With(present) ?? present;
    }

    public ValueTask<IStoredFile> CreateCheckpointAsync(Lsn lsn) => throw Refused(nameof(CreateCheckpointAsync));

    public ValueTask CommitCheckpointAsync(Lsn lsn) => throw Refused(nameof(CommitCheckpointAsync));

    public ValueTask AbandonCheckpointAsync(Lsn lsn) => throw Refused(nameof(AbandonCheckpointAsync));

    public ValueTask<IStoredFile?> OpenCheckpointAsync(Lsn lsn) =>
        _held?.Find(lsn) is { } held ? new(held) : inner.OpenCheckpointAsync(lsn);

    public ValueTask DeleteCheckpointAsync(Lsn lsn) => throw Refused(nameof(DeleteCheckpointAsync));

    public ValueTask<byte[]?> ReadManifestAsync(int copy) => inner.ReadManifestAsync(copy);

    public ValueTask WriteManifestAsync(int copy, ReadOnlyMemory<byte> content) => throw Refused(nameof(WriteManifestAsync));

    public ValueTask RemoveLeftoversAsync() => throw Refused(nameof(RemoveLeftoversAsync));

    public ValueTask<long> GetFreeBytesAsync() => inner.GetFreeBytesAsync();

    public async ValueTask DisposeAsync()
    {
        if (_held is not null)
        {
            await _held.DisposeAsync();
        }

        await inner.DisposeAsync();
    }

    private InvalidOperationException Refused(string call) => new($"{call} on {Location}, which is open for reading only.");
}
