using System.Collections.Concurrent;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Azure;
using Azure.Storage.Blobs.Models;

namespace Ambrosia.LogStore.Azure;

/// <summary>
/// One instance's log in a container. The bytes are those of files; the service decides with every request which process may change them.
/// </summary>
internal sealed class BlobLogStorage : ILogStorage
{
    // A process that gives a lease back tells no other.
    private static readonly TimeSpan s_lookEvery = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan s_lookAsideEvery = TimeSpan.FromMilliseconds(500);
    private const long LargestContract = 16 << 20;
    private const int LeasesAtOnce = 16;
    private readonly LogStoreOptions _options;
    private readonly LogStoreEnvironment _environment;
    private readonly int _mostAppends;
    private readonly BlobContainer _container;
    private readonly BlobNames _names;
    private readonly BlobManifests _manifests;
    private readonly ConcurrentDictionary<Lsn, (string Name, BlobLease Lease)> _begun = new();
    private BlobLease? _lease;
    private BlobLease? _checkpointer;
    private bool _isWriter;

    /// <summary>Nothing is touched yet.</summary>
    public BlobLogStorage(AzureAddress address, StoreSecret secret, string instance, LogStoreOptions options,
        LogStoreEnvironment environment, int mostAppends)
    {
        (Instance, Location, _names) = (instance, $"{address.Location}/{instance}", new BlobNames(instance));
        (_options, _environment, _mostAppends) = (options, environment, mostAppends);
        _container = new BlobContainer(new AzureAccount(address, secret, options.LeaseDuration, environment));
        _manifests = new BlobManifests(_container, _names);
    }

    public string Instance { get; }

    public string Location { get; }

    public bool HasExactEnds => true;

    public TimeSpan LongestPause => TimeSpan.FromMilliseconds(250);

    public ValueTask PrepareAsync() => _container.PrepareAsync();

    public async ValueTask<ILogLease?> AcquireLeaseAsync(bool wait, CancellationToken cancellationToken)
    {
        BlobLease? lease = await AcquireAsync(_names.Lock, Location, wait, s_lookEvery, cancellationToken);
        if (lease is not null)
        {
            await TakeManifestsAsync(lease);
        }

        return _lease = lease;
    }

    public async ValueTask<ILogLease?> AcquireNamedLeaseAsync(string name, bool wait, CancellationToken cancellationToken)
    {
        BlobLease? lease = await AcquireAsync(_names.NamedLease(name), $"{Location} {name}", wait, s_lookAsideEvery, cancellationToken);
        return lease is not null && NamedLeases.GuardsCheckpoints(name) ? _checkpointer = await MakeRoomAsync(lease) : lease;
    }

    public async ValueTask<string?> ReadSideHolderAsync(string name) =>
        await _container.LookAsync(_names.NamedLease(name)) is { } seen && BlobLease.IsHeld(seen) ? BlobLease.ReadHolder(seen) ?? "" : null;

    public async ValueTask<string?> ReadHolderAsync() =>
        await _container.LookAsync(_names.Lock) is { } seen ? BlobLease.ReadHolder(seen) : null;

    public async ValueTask<bool> IsHeldAsync() =>
        await _container.LookAsync(_names.Lock) is { LeaseState: LeaseState.Leased or LeaseState.Breaking };

    /// <summary>A segment without bytes is one that its maker did not finish: it does not exist yet.</summary>
    public async ValueTask<IReadOnlyList<ulong>> ListSegmentsAsync() =>
        [.. (await _container.ListAsync(_names.Segments)).Where(static item => item.Properties.ContentLength > 0)
            .Select(item => _names.SegmentOf(item.Name)).OfType<ulong>().Order()];

    public async ValueTask<IStoredFile?> OpenSegmentAsync(ulong number, bool writable)
    {
        string name = _names.Segment(number);
        if (!writable)
        {
            return await _container.LookAsync(name) is { ContentLength: > 0 } ? NewSegment(number, null) : null;
        }

        BlobLease lease = Held();
        while (true)
        {
            await lease.ProveAsync();
            // From here on the log's last writer appends nothing more, whether it knows of us or not.
            if (await _container.TakeAsync(name, lease.Mark))
            {
                return NewSegment(number, lease);
            }

            if (await _container.LookAsync(name) is null)
            {
                return null;
            }

            // A process took it meanwhile that had proved the log's lease before it was stopped. Only one of the two still has that: it
            // takes it again.
        }
    }

    /// <summary>
    /// Makes it, proves the log's lease, takes it as it was made, appends the header. A process that is stopped on the way and superseded
    /// does not get past the proof; if it had passed it, its blob was there
    /// when its successor began, which has removed it (<see cref="RemoveEmptySegmentsAsync"/>): then what it names in its conditions does
    /// not exist any more.
    /// </summary>
    public async ValueTask<IStoredFile?> CreateSegmentAsync(ulong number, ReadOnlyMemory<byte> header)
    {
        string name = _names.Segment(number);
        BlobLease lease = Held();
        BlobSegment segment = NewSegment(number, lease);
        while (true)
        {
            ETag? empty = await _container.TryMakeAsync(name);
            BlobProperties? found = empty is null ? await _container.LookAsync(name) : null;
            await lease.ProveAsync();
            if (found is { ContentLength: > 0 })
            {
                return await segment.IsBegunAsync(header) ? Made(segment, number, lease) : null;
            }

            // An attempt of ours whose answer was lost, or that of a process that died before the header. Of a blob that we have just made
            // nobody's lease is ended: its holder is right.
            if (found is { LeaseState: LeaseState.Leased or LeaseState.Breaking })
            {
                await _container.ReleaseAnyAsync(name, found.ETag);
            }

            empty ??= found?.ETag;
            if (empty is not null && await _container.TryLeaseAsync(name, lease.Mark, empty) && await segment.TryBeginAsync(header))
            {
                return Made(segment, number, lease);
            }
        }
    }

    public ValueTask DeleteSegmentAsync(ulong number) => RemoveAsync(_names.Segment(number), Held());

    public async ValueTask<bool> KeepTailAsync(ulong number, ReadOnlyMemory<byte> tail)
    {
        await Held().ProveAsync();
        await using var kept = new BlobCheckpoint(_container, _names.Tail(number), Location, replaces: true);
        await kept.AppendAsync(tail, 0);
        await kept.SyncAsync();
        return true;
    }

    public ValueTask<bool> PrepareSpaceAsync() => new(false);

    public async ValueTask<IReadOnlyList<Lsn>> ListCheckpointsAsync() =>
        [.. (await ListCompleteAsync(_names.Checkpoints)).Select(item => _names.CheckpointOf(item.Name)).OfType<Lsn>().Distinct()
            .OrderDescending()];

    public async ValueTask<IStoredFile> CreateCheckpointAsync(Lsn lsn)
    {
        await AbandonCheckpointAsync(lsn);
        // A replica that has just got the right to append still makes the one that it had begun to follow for.
        BlobLease lease = _isWriter ? Held() : _checkpointer ?? Held();
        await lease.ProveAsync();
        byte[] random = new byte[8];
        _environment.Entropy.Fill(random);
        string name = _names.Checkpoint(lsn, Convert.ToHexString(random));
        _begun[lsn] = (name, lease);
        return new BlobCheckpoint(_container, name, $"{Location}: {name}");
    }

    public async ValueTask CommitCheckpointAsync(Lsn lsn)
    {
        (string name, BlobLease lease) = _begun[lsn];
        await lease.ProveAsync();
        if (_isWriter && lease == _lease && _checkpointer is { IsGivenBack: false } room)
        {
            await room.ProveAsync(); // A primary that has both commits an upgrade: that counts only while it has both.
        }

        // Listed before ours counts: while our attempt is there, there is no next holder, and none of these is a successor's.
        List<BlobItem> others = [.. (await _container.ListAsync(_names.CheckpointsAt(lsn))).Where(item => item.Name != name)];
        if (await _container.NoteAsync(name, BlobCheckpoint.CompleteWords, new BlobRequestConditions()) is null)
        {
            // The process that got one of the leases since, or makes the checkpoints now, has removed it: it was unfinished, and not its
            // own.
            throw new LogFailedException(StoreErrors.WriteFailed, "the attempt at a checkpoint was removed before it was finished",
                $"{Location}: {name}");
        }

        _begun.TryRemove(lsn, out _);
        foreach (BlobItem older in others)
        {
            await _container.RemoveUnchangedAsync(older);
        }
    }

    public async ValueTask AbandonCheckpointAsync(Lsn lsn)
    {
        if (_begun.TryRemove(lsn, out (string Name, BlobLease Lease) begun))
        {
            await _container.RemoveOwnAsync(begun.Name);
        }
    }

    public async ValueTask<IStoredFile?> OpenCheckpointAsync(Lsn lsn) =>
        (await ListCompleteAsync(_names.CheckpointsAt(lsn))).MaxBy(static item => item.Properties.LastModified) is { } found
        ? new BlobCheckpoint(_container, found.Name, $"{Location}: {found.Name}") : null;

    public async ValueTask DeleteCheckpointAsync(Lsn lsn)
    {
        BlobLease lease = Held();
        foreach (BlobItem item in await ListCompleteAsync(_names.CheckpointsAt(lsn)))
        {
            await RemoveAsync(item.Name, lease);
        }
    }

    public ValueTask<byte[]?> ReadManifestAsync(int copy) => _manifests.ReadAsync(copy);

    public ValueTask WriteManifestAsync(int copy, ReadOnlyMemory<byte> content) => _manifests.WriteAsync(copy, content, Held());

    // The name is that of the content: nothing is ever written over, so that no lease needs to be asked.
    public async ValueTask KeepContractAsync(ReadOnlyMemory<byte> text)
    {
        string name = _names.Contract(text.Span);
        if (await _container.LookAsync(name) is null)
        {
            await using var contract = new BlobCheckpoint(_container, name, $"{Location}: {name}");
            await contract.AppendAsync(text, 0);
            await contract.SyncAsync();
        }
    }

    public async ValueTask<IReadOnlyList<byte[]>> ReadContractsAsync()
    {
        // Instances of one app have told the same: each text is fetched once.
        IEnumerable<BlobItem> told = (await _container.ListAsync(BlobNames.AllContracts))
            .Where(static item => item.Properties.ContentLength is > 0 and <= LargestContract)
            .OrderByDescending(item => item.Name.StartsWith(_names.Contracts, StringComparison.Ordinal))
            .ThenByDescending(static item => item.Properties.LastModified)
            .DistinctBy(static item => item.Name[(item.Name.LastIndexOf('/') + 1)..], StringComparer.Ordinal);
        var texts = new List<byte[]>();
        foreach (BlobItem item in told)
        {
            byte[] text = new byte[(int)item.Properties.ContentLength!];
            int read = await _container.ReadAsync(item.Name, text, 0);
            texts.Add(text[..read]);
        }

        return texts;
    }

    public async ValueTask RemoveLeftoversAsync()
    {
        BlobLease lease = Held();
        await EndForeignLeasesAsync(lease);
        await RemoveUnfinishedAsync();
        await RemoveEmptySegmentsAsync();
        _isWriter = true;
    }

    public ValueTask<long> GetFreeBytesAsync() => new(long.MaxValue);

    public ValueTask DisposeAsync() => default;

    /// <summary>
    /// Removes a blob only while its lease is under the mark of ours, which is proved after we took it. The next holder ends that lease
    /// before it relies on what there is (<see cref="EndForeignLeasesAsync"/>): a superseded process removes nothing.
    /// </summary>
    private async ValueTask RemoveAsync(string name, BlobLease lease)
    {
        while (await _container.LookAsync(name) is { } seen)
        {
            await lease.ProveAsync();
            if (await _container.TakeAsync(name, lease.Mark, seen.ETag))
            {
                await lease.ProveAsync();
                if (await _container.RemoveUnderAsync(name, lease.Mark))
                {
                    return;
                }
            }
        }

        await lease.ProveAsync(); // It is gone, but perhaps by the hand of a successor.
    }

    /// <summary>
    /// Ends what our predecessors have taken of segments and checkpoints: what they are about to append or remove is refused from now on.
    /// Listed before the proof, so that nothing of a successor of ours is among it.
    /// </summary>
    private async ValueTask EndForeignLeasesAsync(BlobLease lease)
    {
        List<BlobItem> all = [.. await _container.ListAsync(_names.Segments), .. await _container.ListAsync(_names.Checkpoints)];
        await lease.ProveAsync();
        IEnumerable<BlobItem> leased = all.Where(static item => item.Properties.LeaseState is LeaseState.Leased or LeaseState.Breaking);
        foreach (BlobItem[] some in leased.Chunk(LeasesAtOnce))
        {
            await Task.WhenAll(some.Select(item => _container.ReleaseAnyAsync(item.Name, item.Properties.ETag).AsTask()));
        }
    }

    private BlobLease Held() => _lease ?? throw new InvalidOperationException($"{Location} is changed by the holder of its lease only.");

    private async ValueTask<BlobLease?> AcquireAsync(string name, string location, bool wait, TimeSpan lookEvery,
        CancellationToken cancellationToken)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            BlobLease? lease = await BlobLease.TryAcquireAsync(_container, name, location, _options.LeaseDuration, Instance, _environment);
            if (lease is not null || !wait)
            {
                return lease;
            }

            await Task.Delay(lookEvery, _environment.Time, cancellationToken);
        }
    }

    /// <summary>
    /// What anybody else has begun goes, before its lease is used: a process that was stopped between proving that it has it and naming
    /// its checkpoint finds none. That may hit a primary that had nobody to make it; somebody makes the next one now.
    /// </summary>
    private async ValueTask<BlobLease> MakeRoomAsync(BlobLease checkpointer)
    {
        try
        {
            await RemoveUnfinishedAsync();
            return checkpointer;
        }
        catch (LogStoreException)
        {
            await checkpointer.DisposeAsync();
            throw;
        }
    }

    private async ValueTask RemoveUnfinishedAsync()
    {
        foreach (BlobItem item in (await _container.ListAsync(_names.Checkpoints))
            .Where(item => !BlobCheckpoint.IsComplete(item.Metadata) && !_begun.Values.Any(begun => begun.Name == item.Name)))
        {
            await _container.RemoveUnchangedAsync(item); // It may have become complete since it was listed: then it counts.
        }
    }

    /// <summary>
    /// Segments without header: their makers, which may be stopped and not dead, take them only as they were. What has got its header
    /// meanwhile is a segment, and is read like the others.
    /// </summary>
    private async ValueTask RemoveEmptySegmentsAsync()
    {
        bool isDone = false;
        while (!isDone)
        {
            isDone = true;
            List<BlobItem> all = await _container.ListAsync(_names.Segments);
            foreach (BlobItem item in all.Where(static item => item.Properties.ContentLength == 0))
            {
                await _container.ReleaseAnyAsync(item.Name, item.Properties.ETag);
                isDone &= await _container.RemoveUnchangedAsync(item);
            }

            if (!isDone)
            {
                await Held().ProveAsync();
            }
        }
    }

    private async ValueTask TakeManifestsAsync(BlobLease lease)
    {
        try
        {
            await _manifests.TakeAsync(lease);
        }
        catch (LogStoreException)
        {
            await lease.DisposeAsync();
            throw;
        }
    }

    /// <summary>
    /// From now on there is this segment, with all that was confirmed, or, once there is a next holder, a later one. Where there is
    /// neither, the service has forgotten us.
    /// </summary>
    private BlobSegment Made(BlobSegment segment, ulong number, BlobLease lease)
    {
        lease.FindForgottenAsync = async () =>
            (await ListSegmentsAsync()).Any(there => there > number) ? null : await segment.FindForgottenAsync();
        return segment;
    }

    private BlobSegment NewSegment(ulong number, BlobLease? lease) =>
        new(_container, _names.Segment(number), $"{Location}: {_names.Segment(number)}", lease, _mostAppends);

    private async ValueTask<IEnumerable<BlobItem>> ListCompleteAsync(string prefix) =>
        (await _container.ListAsync(prefix)).Where(static item => BlobCheckpoint.IsComplete(item.Metadata));
}
