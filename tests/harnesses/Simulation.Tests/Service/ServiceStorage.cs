using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Storage;
using Ambrosia.Primitives;

namespace Ambrosia.Simulation.Tests;

/// <summary>One instance's log as one process sees it that keeps it in a simulated service: what all services have in common.</summary>
internal abstract class ServiceStorage(ServiceClient client, string instance) : ILogStorage
{
    private static readonly TimeSpan s_look = TimeSpan.FromSeconds(1);
    private ServiceLease? _lease;

    public string Instance => instance;

    public string Location => $"service of {instance}";

    public bool HasExactEnds => true;

    public abstract TimeSpan LongestPause { get; }

    protected ServiceClient Client => client;

    /// <summary>The right to append.</summary>
    protected ServiceLease Held => _lease ?? throw new InvalidOperationException($"{Location} is changed by the holder of its lease only.");

    /// <summary>The right to make checkpoints, as it was given last.</summary>
    protected ServiceLease? Checkpointer { get; private set; }

    /// <summary>It has begun to append.</summary>
    protected bool IsWriter { get; private set; }

    /// <summary>Under which lease a checkpoint is begun: a replica that has just got the right to append still makes the one that it had
    /// begun to follow for.</summary>
    protected ServiceLease ForCheckpoints => IsWriter ? Held : Checkpointer ?? Held;

    public ValueTask PrepareAsync() => default;

    public async ValueTask<ILogLease?> AcquireLeaseAsync(bool wait, CancellationToken cancellationToken)
    {
        _lease = await AcquireAsync(LogService.Log, wait, cancellationToken);
        if (_lease is not null)
        {
            await TakeLogAsync();
        }

        return _lease;
    }

    public async ValueTask<ILogLease?> AcquireNamedLeaseAsync(string name, bool wait, CancellationToken cancellationToken)
    {
        ServiceLease? lease = await AcquireAsync(name, wait, cancellationToken);
        return lease is not null && name == NamedLeases.Checkpointer ? Checkpointer = await MakeRoomAsync(lease) : lease;
    }

    public async ValueTask<string?> ReadSideHolderAsync(string name) => await client.AskAsync(service =>
        service.Look(name)) is var (isHeld, holder, _, _) && isHeld && !client.IsKnownDead(holder) ? holder : null;

    public async ValueTask<string?> ReadHolderAsync() =>
        (await client.AskAsync(static service => service.Look(LogService.Log))).Holder is { Length: > 0 } holder ? holder : null;

    public async ValueTask<bool> IsHeldAsync() => (await client.AskAsync(static service => service.Look(LogService.Log))).IsHeld;

    public async ValueTask<IReadOnlyList<ulong>> ListSegmentsAsync() =>
        await client.AskAsync<ulong[]>(static service =>
            [.. service.List(ServiceFileKind.Segment).Where(static file => file.Length > 0).Select(static file => file.Number).Order()]);

    public abstract ValueTask<IStoredFile?> OpenSegmentAsync(ulong number, bool writable);

    public abstract ValueTask<IStoredFile?> CreateSegmentAsync(ulong number, ReadOnlyMemory<byte> header);

    public abstract ValueTask DeleteSegmentAsync(ulong number);

    public abstract ValueTask<bool> KeepTailAsync(ulong number, ReadOnlyMemory<byte> tail);

    public ValueTask<bool> PrepareSpaceAsync() => new(false);

    public async ValueTask<IReadOnlyList<Lsn>> ListCheckpointsAsync() =>
        await client.AskAsync<Lsn[]>(static service =>
            [.. service.List(ServiceFileKind.Checkpoint).Select(static file => new Lsn(file.Number)).Distinct().OrderDescending()]);

    public abstract ValueTask<IStoredFile> CreateCheckpointAsync(Lsn lsn);

    public abstract ValueTask CommitCheckpointAsync(Lsn lsn);

    public abstract ValueTask AbandonCheckpointAsync(Lsn lsn);

    public async ValueTask<IStoredFile?> OpenCheckpointAsync(Lsn lsn) =>
        await client.AskAsync(service => service.Find(ServiceFileKind.Checkpoint, lsn.Value)) is { } file
        ? new ServiceStoredFile(client, file, null) : null;

    public abstract ValueTask DeleteCheckpointAsync(Lsn lsn);

    public ValueTask<byte[]?> ReadManifestAsync(int copy) => client.AskAsync(service => service.ReadManifest(copy));

    public async ValueTask WriteManifestAsync(int copy, ReadOnlyMemory<byte> content)
    {
        long token = Held.Token;
        byte[] bytes = content.ToArray();
        Held.Require(await client.AskAsync(service => service.WriteManifest(token, copy, bytes)));
    }

    public async ValueTask RemoveLeftoversAsync()
    {
        await RemoveUnfinishedAsync(Held);
        await RemoveEmptySegmentsAsync();
        IsWriter = true;
    }

    public ValueTask<long> GetFreeBytesAsync() => new(long.MaxValue);

    public ValueTask DisposeAsync() => default;

    /// <summary>The right to append has come.</summary>
    protected abstract ValueTask TakeLogAsync();

    /// <summary>A process that begins to append, or to make checkpoints, removes what none can finish any more.</summary>
    protected abstract ValueTask RemoveUnfinishedAsync(ServiceLease lease);

    /// <summary>
    /// A process that begins to append removes the segments that were made and not begun: their makers may be stopped and not dead.
    /// </summary>
    protected virtual ValueTask RemoveEmptySegmentsAsync() => default;

    private async ValueTask<ServiceLease?> AcquireAsync(string name, bool wait, CancellationToken cancellationToken)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            (ServiceLease? lease, TimeSpan left) = await ServiceLease.TryAcquireAsync(client, name, instance);
            if (lease is not null || !wait)
            {
                return lease;
            }

            await Task.Delay(TimeSpan.FromMilliseconds(Math.Clamp(left.TotalMilliseconds, 10, s_look.TotalMilliseconds)),
                client.Environment.Time, cancellationToken);
        }
    }

    private async ValueTask<ServiceLease> MakeRoomAsync(ServiceLease checkpointer)
    {
        try
        {
            await RemoveUnfinishedAsync(checkpointer);
            return checkpointer;
        }
        catch (LogStoreException)
        {
            await checkpointer.DisposeAsync();
            throw;
        }
    }
}
