using System.Collections.Concurrent;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Storage;
using Ambrosia.Primitives;

namespace Ambrosia.Simulation.Tests;

/// <summary>As LogStore.Postgres keeps a log: each statement changes only what stands under the token of the lease that it is asked for
/// under.</summary>
internal sealed class DatabaseStorage(ServiceClient client, string instance) : ServiceStorage(client, instance)
{
    private readonly ConcurrentDictionary<Lsn, ServiceLease> _begun = new();

    public override TimeSpan LongestPause => TimeSpan.FromMilliseconds(40);

    public override async ValueTask<IStoredFile?> OpenSegmentAsync(ulong number, bool writable)
    {
        ServiceLease? lease = writable ? Held : null;
        return await Client.AskAsync(service => service.Find(ServiceFileKind.Segment, number)) is { } file
            ? new ServiceStoredFile(Client, file, lease) : null;
    }

    public override async ValueTask<IStoredFile?> CreateSegmentAsync(ulong number, ReadOnlyMemory<byte> header) =>
        await TryCreateAsync(Held, ServiceFileKind.Segment, number, header);

    public override ValueTask DeleteSegmentAsync(ulong number) => DeleteAsync(Held, ServiceFileKind.Segment, number);

    public override async ValueTask<bool> KeepTailAsync(ulong number, ReadOnlyMemory<byte> tail)
    {
        await DeleteAsync(Held, ServiceFileKind.CutTail, number);
        Held.Require(await TryCreateAsync(Held, ServiceFileKind.CutTail, number, tail) is not null);
        return true;
    }

    public override async ValueTask<IStoredFile> CreateCheckpointAsync(Lsn lsn)
    {
        ServiceLease lease = ForCheckpoints;
        await DeleteAsync(lease, ServiceFileKind.UnfinishedCheckpoint, lsn.Value);
        _begun[lsn] = lease;
        IStoredFile? file = await TryCreateAsync(lease, ServiceFileKind.UnfinishedCheckpoint, lsn.Value, default);
        lease.Require(file is not null);
        return file!;
    }

    public override async ValueTask CommitCheckpointAsync(Lsn lsn)
    {
        ServiceLease lease = _begun[lsn];
        // A primary that has both commits an upgrade: that counts only while it has both. Any other writer needs what it began under.
        ServiceLease also = IsWriter && lease == Held && Checkpointer is { IsGivenBack: false } room ? room : lease;
        also.Require(await Client.AskAsync(service => service.Commit(lease.Name, lease.Token, also.Name, also.Token, lsn.Value)));
        _begun.TryRemove(lsn, out _);
    }

    public override async ValueTask AbandonCheckpointAsync(Lsn lsn)
    {
        if (_begun.TryRemove(lsn, out ServiceLease? lease))
        {
            await DeleteAsync(lease, ServiceFileKind.UnfinishedCheckpoint, lsn.Value);
        }
    }

    public override ValueTask DeleteCheckpointAsync(Lsn lsn) => DeleteAsync(Held, ServiceFileKind.Checkpoint, lsn.Value);

    protected override ValueTask TakeLogAsync() => default;

    protected override ValueTask RemoveUnfinishedAsync(ServiceLease lease) =>
        Client.TellAsync(service =>
            service.Delete(lease.Token, file => file.Kind == ServiceFileKind.UnfinishedCheckpoint && file.Owner == lease.Name));

    private ValueTask DeleteAsync(ServiceLease lease, ServiceFileKind kind, ulong number) =>
        Client.TellAsync(service => service.Delete(lease.Token, file =>
            file.Kind == kind && file.Number == number && (kind != ServiceFileKind.UnfinishedCheckpoint || file.Owner == lease.Name)));

    private async ValueTask<IStoredFile?> TryCreateAsync(ServiceLease lease, ServiceFileKind kind, ulong number,
        ReadOnlyMemory<byte> beginning)
    {
        byte[] bytes = beginning.ToArray();
        return await Client.AskAsync(service => service.Create(lease.Name, lease.Token, kind, number, bytes)) is { } file
            ? new ServiceStoredFile(Client, file, lease) : null;
    }
}
