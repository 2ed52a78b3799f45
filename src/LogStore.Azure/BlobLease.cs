using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Azure;
using Azure.Storage.Blobs.Models;
using Azure.Storage.Blobs.Specialized;

namespace Ambrosia.LogStore.Azure;

/// <summary>
/// The service's own lease of an instance's <c>lock</c>, or of a lock beside its log, for a time. It says which process may be promoted,
/// and makes that quick. What refuses the bytes of a superseded holder are the leases of the segments, which the next holder ends.
/// </summary>
internal sealed class BlobLease : RenewedLease
{
    private const string Holding = "holder";
    private const string Machine = "machine";
    private readonly BlobContainer _container;
    private readonly string _name;
    private ETag? _noted;

    private BlobLease(BlobContainer container, string name, string mark, string location, TimeSpan duration, long provenAt,
        LogStoreEnvironment environment)
        : base(environment, location, LeaseHolder.Current.Process, duration, provenAt) =>
            (_container, _name, Mark) = (container, name, mark);

    /// <summary>What the service knows this acquisition by; the segments that it writes are leased under the same one.</summary>
    public string Mark { get; }

    private BlobLeaseClient Client => _container.AppendBlob(_name).GetBlobLeaseClient(Mark);

    /// <summary>Takes the lease if nobody has it, or its holder is a dead process of this machine; else null.</summary>
    public static async ValueTask<BlobLease?> TryAcquireAsync(BlobContainer container, string name, string location, TimeSpan duration,
        string instance, LogStoreEnvironment environment)
    {
        LeaseHolder? dead = null;
        if (await container.LookAsync(name) is not { } seen)
        {
            await container.TryMakeAsync(name);
        }
        else if (seen.LeaseState is LeaseState.Leased or LeaseState.Breaking)
        {
            dead = HolderOf(seen.Metadata);
            if (!dead.Value.IsKnownDead() || !await TryEndAsync(container, name, seen.ETag))
            {
                return null;
            }
        }

        byte[] random = new byte[16];
        environment.Entropy.Fill(random);
        string mark = new Guid(random).ToString();
        long asked = environment.Time.GetTimestamp();
        var lease = new BlobLease(container, name, mark, location, duration, asked, environment);
        if (!await lease.TryTakeAsync(duration))
        {
            return null;
        }

        if (dead is { } known)
        {
            ServiceLog.TakenFromDead(environment.Logger, location, known.Process);
        }

        lease.Start(instance);
        return lease;
    }

    /// <summary>Its last holder; null when there was none.</summary>
    public static string? ReadHolder(BlobProperties seen) =>
        HolderOf(seen.Metadata) is { Process.Length: > 0 } holder ? holder.Process : null;

    /// <summary>Whether somebody has the lease of a blob that looks like this, as far as can be known.</summary>
    public static bool IsHeld(BlobProperties seen) =>
        seen.LeaseState is LeaseState.Leased or LeaseState.Breaking && !HolderOf(seen.Metadata).IsKnownDead();

    /// <summary>Asks the service whether it is still ours, before what only its holder may do.</summary>
    /// <exception cref="LeaseLostException">It is not.</exception>
    public async ValueTask ProveAsync()
    {
        if (!await _container.RenewAsync(_name, Mark))
        {
            throw await LossAsync();
        }
    }

    /// <summary>
    /// Why it, or the lease of what is written under it, is not ours any more: it is another's, or the service has forgotten it.
    /// </summary>
    public async ValueTask<LogStoreException> LossAsync() => await IsUnclaimedAsync() ? LeaseForgotten() : Fenced();

    /// <summary>
    /// Whether nobody has taken it since we did. A process that takes it has the blob's lease first and then notes its name, which changes
    /// the blob's mark: in between the lease says it.
    /// </summary>
    private async ValueTask<bool> IsUnclaimedAsync() => await _container.LookAsync(_name) is { } seen && seen.ETag == _noted
        && (seen.LeaseState is not (LeaseState.Leased or LeaseState.Breaking) || await _container.RenewAsync(_name, Mark));

    /// <summary>
    /// What was made under it and is gone, or shorter than was confirmed, while it has no next holder; null if there is no such thing. Set
    /// by the holder that makes it.
    /// </summary>
    public Func<ValueTask<StoreForgotException?>> FindForgottenAsync { get; set; } = static () => new((StoreForgotException?)null);

    protected override async ValueTask<bool> TryRenewAsync(bool isRepeated, CancellationToken cancellationToken)
    {
        if (await _container.RenewOnceAsync(_name, Mark, cancellationToken))
        {
            return true;
        }

        throw await FindForgottenAsync() ?? await LossAsync();
    }

    protected override async ValueTask ReleaseAsync() => await _container.TryAsync(async () =>
    {
        try
        {
            await Client.ReleaseAsync();
            return true;
        }
        catch (RequestFailedException error) when (error.Status is 404 or 409 or 412)
        {
            return false;
        }
    });

    protected override ValueTask DisposeClientAsync() => default;

    private static LeaseHolder HolderOf(IDictionary<string, string> words) =>
        new(words.TryGetValue(Holding, out string? process) ? process : "", words.TryGetValue(Machine, out string? machine) ? machine : "");

    /// <summary>Ends the lease of a dead process, unless the blob was marked by another since.</summary>
    private static ValueTask<bool> TryEndAsync(BlobContainer container, string name, ETag seen) => container.TryAsync(async () =>
    {
        try
        {
            await container.AppendBlob(name).GetBlobLeaseClient().BreakAsync(TimeSpan.Zero, new RequestConditions { IfMatch = seen });
            return true;
        }
        catch (RequestFailedException error) when (error.Status is 404 or 409 or 412)
        {
            return false;
        }
    });

    /// <summary>Taking it again under the same mark is no second time: a lost answer does no harm.</summary>
    private async ValueTask<bool> TryTakeAsync(TimeSpan duration)
    {
        bool taken = await _container.TryAsync(async () =>
        {
            try
            {
                await Client.AcquireAsync(TimeSpan.FromSeconds(Math.Ceiling(duration.TotalSeconds)));
                return true;
            }
            catch (RequestFailedException error) when (error.Status is 404 or 409 or 412)
            {
                return false;
            }
        });
        LeaseHolder self = LeaseHolder.Current;
        // Until it is noted whose it is, somebody may still take us for our dead predecessor and end it: then this fails, and we did not
        // get it.
        Dictionary<string, string> words = new() { [Holding] = self.Process, [Machine] = self.Machine };
        _noted = taken ? await _container.NoteAsync(_name, words, new BlobRequestConditions { LeaseId = Mark }) : null;
        return _noted is not null;
    }
}
