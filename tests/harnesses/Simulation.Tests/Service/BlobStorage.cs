using System.Collections.Concurrent;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Storage;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// As LogStore.Azure keeps a log: the process that gets the lease takes manifest and last segment by requests of their own. Attempts at
/// checkpoints are blobs of their own names, which anybody can change; before that, and before removing anything, a process that does it
/// has proved its lease.
/// </summary>
internal sealed class BlobStorage(ServiceClient client, string instance) : ServiceStorage(client, instance)
{
    private readonly ConcurrentDictionary<Lsn, (string Attempt, ServiceLease Lease)> _begun = new();

    public override TimeSpan LongestPause => TimeSpan.FromMilliseconds(250);

    public override async ValueTask<IStoredFile?> OpenSegmentAsync(ulong number, bool writable)
    {
        if (!writable)
        {
            return await Client.AskAsync(service => service.Find(ServiceFileKind.Segment, number)) is { Length: > 0 } read
                ? new ServiceStoredFile(Client, read, null) : null;
        }

        ServiceLease lease = Held;
        while (true)
        {
            await lease.ProveAsync();
            if (await Client.AskAsync(service => service.Find(ServiceFileKind.Segment, number)) is not { } file)
            {
                return null;
            }

            if (await TakeAsync(file, lease))
            {
                return new ServiceStoredFile(Client, file, lease);
            }
        }
    }

    public override async ValueTask<IStoredFile?> CreateSegmentAsync(ulong number, ReadOnlyMemory<byte> header)
    {
        ServiceLease lease = Held;
        while (true)
        {
            ServiceFile? made = await Client.AskAsync(service => service.TryMake(ServiceFileKind.Segment, number, "", default));
            ServiceFile? found = made is null ? await Client.AskAsync(service => service.Find(ServiceFileKind.Segment, number)) : null;
            await lease.ProveAsync();
            if (found is { Length: > 0 })
            {
                return await HoldsAsync(found, lease, header) ? new ServiceStoredFile(Client, found, lease) : null;
            }

            if (found is not null)
            {
                await Client.TellAsync(_ => found.Token = found.Length == 0 ? 0 : found.Token);
            }

            if ((made ?? found) is
                { } empty && await TryLeaseAsync(empty, lease, onlyEmpty: true) && await BeginAsync(empty, lease, header))
            {
                return new ServiceStoredFile(Client, empty, lease);
            }
        }
    }

    public override async ValueTask DeleteSegmentAsync(ulong number)
    {
        await Held.ProveAsync();
        await Client.TellAsync(service => service.Remove(file => file.Kind == ServiceFileKind.Segment && file.Number == number));
    }

    public override async ValueTask<bool> KeepTailAsync(ulong number, ReadOnlyMemory<byte> tail)
    {
        await Held.ProveAsync();
        byte[] bytes = tail.ToArray();
        await Client.TellAsync(service => service.TryMake(ServiceFileKind.CutTail, number, "", bytes));
        return true;
    }

    public override async ValueTask<IStoredFile> CreateCheckpointAsync(Lsn lsn)
    {
        await AbandonCheckpointAsync(lsn);
        ServiceLease lease = ForCheckpoints;
        await lease.ProveAsync();
        byte[] random = new byte[8];
        Client.Environment.Entropy.Fill(random);
        string attempt = Convert.ToHexString(random);
        _begun[lsn] = (attempt, lease);
        return new ServiceBlob(Client, lsn.Value, attempt);
    }

    public override async ValueTask CommitCheckpointAsync(Lsn lsn)
    {
        (string attempt, ServiceLease lease) = _begun[lsn];
        await lease.ProveAsync();
        if (IsWriter && lease == Held && Checkpointer is { IsGivenBack: false } room)
        {
            await room.ProveAsync();
        }

        if (!await Client.AskAsync(service => Note(service, lsn.Value, attempt)))
        {
            throw new LogFailedException(StoreErrors.WriteFailed, "the attempt at a checkpoint was removed before it was finished",
                Location);
        }

        _begun.TryRemove(lsn, out _);
        await Client.TellAsync(service => service.Remove(file => file.Number == lsn.Value && IsAttempt(file) && file.Owner != attempt));
    }

    public override async ValueTask AbandonCheckpointAsync(Lsn lsn)
    {
        if (_begun.TryRemove(lsn, out (string Attempt, ServiceLease Lease) begun))
        {
            await Client.TellAsync(service => service.Remove(file => IsAttempt(file) && file.Owner == begun.Attempt));
        }
    }

    public override async ValueTask DeleteCheckpointAsync(Lsn lsn)
    {
        await Held.ProveAsync();
        ServiceFile[] found = await Client.AskAsync(static service => service.List(ServiceFileKind.Checkpoint));
        foreach (ServiceFile old in found.Where(file => file.Number == lsn.Value))
        {
            await Client.TellAsync(service => service.Remove(file => file == old));
        }
    }

    protected override async ValueTask TakeLogAsync()
    {
        long token = Held.Token;
        for (int copy = 0; copy < 2; copy++)
        {
            int taken = copy;
            await Client.TellAsync(service => service.TakeManifest(taken, token));
        }
    }

    protected override async ValueTask RemoveUnfinishedAsync(ServiceLease lease)
    {
        await lease.ProveAsync();
        ServiceFile[] found = await Client.AskAsync(static service => service.List(ServiceFileKind.UnfinishedCheckpoint));
        foreach (ServiceFile old in found.Where(file => !_begun.Values.Any(begun => begun.Attempt == file.Owner)))
        {
            await Client.TellAsync(service => service.Remove(file => file == old && file.Kind == ServiceFileKind.UnfinishedCheckpoint));
        }
    }

    protected override async ValueTask RemoveEmptySegmentsAsync()
    {
        foreach (ServiceFile empty in (await Client.AskAsync(static service => service.List(ServiceFileKind.Segment)))
            .Where(static file => file.Length == 0))
        {
            await Client.TellAsync(service => service.Remove(file => file == empty && file.Length == 0));
        }
    }

    private static bool IsAttempt(ServiceFile file) => file.Kind is ServiceFileKind.Checkpoint or ServiceFileKind.UnfinishedCheckpoint;

    private static bool Note(LogService service, ulong number, string attempt)
    {
        if (service.Find(ServiceFileKind.UnfinishedCheckpoint, number, attempt) is { } file)
        {
            file.Kind = ServiceFileKind.Checkpoint;
        }

        return service.Find(ServiceFileKind.Checkpoint, number, attempt) is not null;
    }

    /// <summary>Ends the lease that a segment is under, and takes one: two requests, between which another may be faster.</summary>
    private async ValueTask<bool> TakeAsync(ServiceFile file, ServiceLease lease)
    {
        await Client.TellAsync(_ => file.Token = 0);
        return await TryLeaseAsync(file, lease, onlyEmpty: false);
    }

    private ValueTask<bool> TryLeaseAsync(ServiceFile file, ServiceLease lease, bool onlyEmpty) => Client.AskAsync(_ =>
    {
        bool can = file.Token == 0 && !file.IsGone && (!onlyEmpty || file.Length == 0);
        file.Token = can ? lease.Token : file.Token;
        return file.Token == lease.Token;
    });

    private async ValueTask<bool> BeginAsync(ServiceFile file, ServiceLease lease, ReadOnlyMemory<byte> header)
    {
        byte[] bytes = header.ToArray();
        return await Client.AskAsync(_ => file.Append(lease.Token, bytes, 0)) is not null && await HoldsAsync(file, lease, header);
    }

    private ValueTask<bool> HoldsAsync(ServiceFile file, ServiceLease lease, ReadOnlyMemory<byte> header) =>
        Client.AskAsync(_ => !file.IsGone && file.Token == lease.Token && file.Length == header.Length && file.Begins(header));
}
