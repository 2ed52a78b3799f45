using Ambrosia.LogStore;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.Simulation.Tests;

/// <summary>One instance's log as one process sees it that keeps it in a simulated service.</summary>
internal sealed class ServiceStorage(ServiceClient client, string instance) : ILogStorage
{
    private static readonly TimeSpan s_look = TimeSpan.FromSeconds(1);
    private ServiceLease? _lease;

    public string Instance => instance;

    public string Location => $"service of {instance}";

    public bool HasExactEnds => true;

    private ServiceLease Held => _lease ?? throw new InvalidOperationException($"{Location} is changed by the holder of its lease only.");

    private TimeProvider Time => client.Environment.Time;

    public ValueTask PrepareAsync() => default;

    public async ValueTask<ILogLease?> AcquireLeaseAsync(bool wait, CancellationToken cancellationToken)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            _lease = await ServiceLease.TryAcquireAsync(client, instance);
            if (_lease is not null || !wait)
            {
                return _lease;
            }

            TimeSpan left = await client.AskAsync(static service => service.Left, cancellationToken);
            await Task.Delay(TimeSpan.FromMilliseconds(Math.Clamp(left.TotalMilliseconds, 10, s_look.TotalMilliseconds)), Time, cancellationToken);
        }
    }

    public async ValueTask<string?> ReadHolderAsync() => await client.AskAsync(static service => service.Holder);

    public ValueTask<bool> IsHeldAsync() => client.AskAsync(static service => service.IsHeld);

    public async ValueTask<IReadOnlyList<ulong>> ListSegmentsAsync() => await client.AskAsync(static service => service.List(ServiceFileKind.Segment));

    public ValueTask<IStoredFile?> OpenSegmentAsync(ulong number, bool writable) => OpenAsync(ServiceFileKind.Segment, number, writable ? Held : null);

    public async ValueTask<IStoredFile?> CreateSegmentAsync(ulong number, ReadOnlyMemory<byte> header) => await TryCreateAsync(ServiceFileKind.Segment, number, header);

    public ValueTask DeleteSegmentAsync(ulong number) => DeleteAsync(ServiceFileKind.Segment, number);

    public async ValueTask<bool> KeepTailAsync(ulong number, ReadOnlyMemory<byte> tail)
    {
        await DeleteAsync(ServiceFileKind.CutTail, number);
        Held.Require(await TryCreateAsync(ServiceFileKind.CutTail, number, tail) is not null);
        return true;
    }

    public ValueTask<bool> PrepareSpaceAsync() => new(false);

    public async ValueTask<IReadOnlyList<Lsn>> ListCheckpointsAsync() =>
        [.. (await client.AskAsync(static service => service.List(ServiceFileKind.Checkpoint))).Select(static number => new Lsn(number)).OrderDescending()];

    public async ValueTask<IStoredFile> CreateCheckpointAsync(Lsn lsn)
    {
        await DeleteAsync(ServiceFileKind.UnfinishedCheckpoint, lsn.Value);
        IStoredFile? file = await TryCreateAsync(ServiceFileKind.UnfinishedCheckpoint, lsn.Value, default);
        Held.Require(file is not null);
        return file!;
    }

    public async ValueTask CommitCheckpointAsync(Lsn lsn)
    {
        long token = Held.Token;
        Held.Require(await client.AskAsync(service => service.Rename(token, ServiceFileKind.UnfinishedCheckpoint, ServiceFileKind.Checkpoint, lsn.Value)));
    }

    public ValueTask AbandonCheckpointAsync(Lsn lsn) => DeleteAsync(ServiceFileKind.UnfinishedCheckpoint, lsn.Value);

    public ValueTask<IStoredFile?> OpenCheckpointAsync(Lsn lsn) => OpenAsync(ServiceFileKind.Checkpoint, lsn.Value, null);

    public ValueTask DeleteCheckpointAsync(Lsn lsn) => DeleteAsync(ServiceFileKind.Checkpoint, lsn.Value);

    public ValueTask<byte[]?> ReadManifestAsync(int copy) => client.AskAsync(service => service.ReadManifest(copy));

    public async ValueTask WriteManifestAsync(int copy, ReadOnlyMemory<byte> content)
    {
        long token = Held.Token;
        byte[] bytes = content.ToArray();
        Held.Require(await client.AskAsync(service => service.WriteManifest(token, copy, bytes)));
    }

    public async ValueTask RemoveLeftoversAsync()
    {
        foreach (ulong number in await client.AskAsync(static service => service.List(ServiceFileKind.UnfinishedCheckpoint)))
        {
            await DeleteAsync(ServiceFileKind.UnfinishedCheckpoint, number);
        }
    }

    public ValueTask<long> GetFreeBytesAsync() => new(long.MaxValue);

    public ValueTask DisposeAsync() => default;

    private async ValueTask DeleteAsync(ServiceFileKind kind, ulong number)
    {
        long token = Held.Token;
        await client.AskAsync(service => service.Delete(token, kind, number));
    }

    private async ValueTask<IStoredFile?> TryCreateAsync(ServiceFileKind kind, ulong number, ReadOnlyMemory<byte> beginning)
    {
        ServiceLease lease = Held;
        byte[] bytes = beginning.ToArray();
        return await client.AskAsync(service => service.Create(lease.Token, kind, number, bytes)) ? new ServiceStoredFile(client, kind, number, lease) : null;
    }

    private async ValueTask<IStoredFile?> OpenAsync(ServiceFileKind kind, ulong number, ServiceLease? lease) =>
        await client.AskAsync(service => service.Find(kind, number) is not null) ? new ServiceStoredFile(client, kind, number, lease) : null;
}
