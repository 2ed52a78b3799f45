using Azure;
using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;
using Azure.Storage.Blobs.Specialized;

namespace Ambrosia.LogStore.Azure;

/// <summary>The container, and what several kinds of blobs have in common: looking, reading, replacing, removing, leases.</summary>
internal sealed class BlobContainer(AzureAccount account)
{
    /// <summary>Bytes that one request may carry.</summary>
    public const int LargestPiece = 4 << 20;

    private readonly Lazy<BlobContainerClient> _client = new(() => account.OpenContainer());
    private readonly Lazy<BlobContainerClient> _renewing = new(() => account.OpenContainer(newConnections: true));

    /// <summary>A lease without end.</summary>
    private static TimeSpan Infinite => BlobLeaseClient.InfiniteLeaseDuration;

    private BlobContainerClient Client => _client.Value;

    public AppendBlobClient AppendBlob(string name) => Client.GetAppendBlobClient(name);

    public BlockBlobClient BlockBlob(string name) => Client.GetBlockBlobClient(name);

    public ValueTask<T> TryAsync<T>(Func<ValueTask<T>> call) => account.TryAsync(call);

    /// <summary>Renews a lease by one request over a new connection; false when it is another's, or ended.</summary>
    public ValueTask<bool> RenewOnceAsync(string name, string mark, CancellationToken cancellationToken) =>
        account.TryOnceAsync(() => RenewAsync(_renewing.Value, name, mark, cancellationToken), cancellationToken);

    /// <summary>Asks whether a lease is ours still, until there is an answer.</summary>
    public ValueTask<bool> RenewAsync(string name, string mark) => TryAsync(() => RenewAsync(Client, name, mark, CancellationToken.None));

    /// <summary>Makes the container, unless it is there.</summary>
    public async ValueTask PrepareAsync() => await TryAsync(async () =>
    {
        try
        {
            // Looking needs fewer rights than making, and a signature for one container has no others.
            await foreach (Page<BlobItem> _ in Client.GetBlobsAsync().AsPages(pageSizeHint: 1))
            {
                break;
            }
        }
        catch (RequestFailedException error) when (error.Status == 404)
        {
            await Client.CreateIfNotExistsAsync();
        }

        return true;
    });

    /// <summary>What stands about a blob; null when there is none.</summary>
    public ValueTask<BlobProperties?> LookAsync(string name) => TryAsync<BlobProperties?>(async () =>
    {
        try
        {
            return await Client.GetBlobClient(name).GetPropertiesAsync();
        }
        catch (RequestFailedException error) when (error.Status == 404)
        {
            return null;
        }
    });

    /// <summary>
    /// How long a blob is that is under this lease. Null when the lease is another's, or ended; -1 when there is no such blob.
    /// </summary>
    public ValueTask<long?> LengthUnderAsync(string name, string mark) => TryAsync<long?>(async () =>
    {
        try
        {
            return (await Client.GetBlobClient(name).GetPropertiesAsync(new BlobRequestConditions { LeaseId = mark })).Value.ContentLength;
        }
        catch (RequestFailedException error) when (error.Status is 404 or 409 or 412)
        {
            return error.Status == 404 ? -1 : null;
        }
    });

    /// <summary>Blobs whose names begin like this, with what was noted about them; none when there is no container.</summary>
    public ValueTask<List<BlobItem>> ListAsync(string prefix) => TryAsync(async () =>
    {
        var items = new List<BlobItem>();
        try
        {
            await foreach (BlobItem item in Client.GetBlobsAsync(BlobTraits.Metadata, BlobStates.None, prefix, CancellationToken.None))
            {
                items.Add(item);
            }
        }
        catch (RequestFailedException error) when (error.Status == 404)
        {
            items.Clear();
        }

        return items;
    });

    /// <summary>Makes an empty append blob and returns its mark; null when there is a blob of this name.</summary>
    public ValueTask<ETag?> TryMakeAsync(string name) => TryAsync<ETag?>(async () =>
    {
        try
        {
            var options = new AppendBlobCreateOptions { Conditions = new AppendBlobRequestConditions { IfNoneMatch = ETag.All } };
            return (await AppendBlob(name).CreateAsync(options)).Value.ETag;
        }
        catch (RequestFailedException error) when (error.Status is 409 or 412)
        {
            return null;
        }
    });

    /// <summary>Reads until the destination is full or the blob ends; the answer's own words say where it was cut.</summary>
    public ValueTask<int> ReadAsync(
        string name, Memory<byte> destination, long offset) => destination.IsEmpty ? new(0) : TryAsync(async () =>
    {
        try
        {
            using BlobDownloadStreamingResult found = await Client.GetBlobClient(name)
                .DownloadStreamingAsync(new BlobDownloadOptions { Range = new HttpRange(offset, destination.Length) });
            int wanted = (int)Math.Clamp(BlobSegment.CutAt(found.Details.Metadata) - offset, 0, destination.Length);
            return await found.Content.ReadAtLeastAsync(destination[..wanted], wanted, throwOnEndOfStream: false);
        }
        catch (RequestFailedException error) when (error.Status is 404 or 416)
        {
            return 0; // Not there, or not so long.
        }
    });

    /// <summary>Notes words about a blob; its new mark, or null when the conditions do not hold or it is not there.</summary>
    public ValueTask<ETag?> NoteAsync(
        string name, Dictionary<string, string> words, BlobRequestConditions conditions) => TryAsync<ETag?>(async () =>
    {
        try
        {
            return (await Client.GetBlobClient(name).SetMetadataAsync(words, conditions)).Value.ETag;
        }
        catch (RequestFailedException error) when (error.Status is 404 or 409 or 412)
        {
            return null;
        }
    });

    /// <summary>Puts one piece of a blob aside, until <see cref="CommitAsync"/> names it.</summary>
    public async ValueTask StageAsync(string name, string piece, ReadOnlyMemory<byte> bytes) => await TryAsync(async () =>
    {
        using MemoryStream stream = Stream(bytes);
        await BlockBlob(name).StageBlockAsync(piece, stream);
        return true;
    });

    /// <summary>Makes a blob of pieces; its mark, or null when the conditions do not hold.</summary>
    public ValueTask<ETag?> CommitAsync(string name, IEnumerable<string> pieces, Dictionary<string, string> words,
        BlobRequestConditions conditions) => TryAsync<ETag?>(async () =>
    {
        try
        {
            return (await BlockBlob(name)
                .CommitBlockListAsync(pieces, new CommitBlockListOptions { Metadata = words, Conditions = conditions })).Value.ETag;
        }
        catch (RequestFailedException error) when (error.Status is 404 or 409 or 412)
        {
            return null;
        }
    });

    /// <summary>
    /// Takes a lease without end under our mark, and ends that of anybody else. Given the blob's mark, only if nothing was done to it
    /// since. False when somebody else was faster, or there is no such blob.
    /// </summary>
    public async ValueTask<bool> TakeAsync(string name, string mark, ETag? unchanged = null)
    {
        await ReleaseAnyAsync(name, unchanged);
        return await TryLeaseAsync(name, mark, unchanged);
    }

    /// <summary>
    /// Takes a lease without end under our mark, unless somebody has one. Given the blob's mark, only if nothing was done to it since.
    /// </summary>
    public ValueTask<bool> TryLeaseAsync(string name, string mark, ETag? unchanged) => TryAsync(async () =>
    {
        try
        {
            await Client.GetBlobClient(name).GetBlobLeaseClient(mark).AcquireAsync(Infinite, OnlyIf(unchanged));
            return true;
        }
        catch (RequestFailedException error) when (error.Status is 404 or 409 or 412)
        {
            return false;
        }
    });

    /// <summary>Removes a blob that nobody else knows the name of; fine when it is gone.</summary>
    public async ValueTask RemoveOwnAsync(string name) =>
        await TryAsync(async () => await Client.GetBlobClient(name).DeleteIfExistsAsync());

    /// <summary>
    /// Removes a blob while its lease is still under our mark; false when another has taken or ended that. Fine when the blob is gone.
    /// Any other refusal is thrown: of a blob with snapshots, or under a policy that keeps it, it would be the same at every attempt.
    /// </summary>
    public ValueTask<bool> RemoveUnderAsync(string name, string mark) => TryAsync(async () =>
    {
        try
        {
            await Client.GetBlobClient(name).DeleteIfExistsAsync(conditions: new BlobRequestConditions { LeaseId = mark });
            return true;
        }
        catch (RequestFailedException error) when (error.Status == 412)
        {
            return false;
        }
    });

    /// <summary>
    /// Removes a blob that is as it was when it was listed, words about it included; else nothing. False when it is there still.
    /// </summary>
    public ValueTask<bool> RemoveUnchangedAsync(BlobItem seen) => TryAsync(async () =>
    {
        try
        {
            var unchanged = new BlobRequestConditions { IfMatch = seen.Properties.ETag };
            await Client.GetBlobClient(seen.Name).DeleteIfExistsAsync(conditions: unchanged);
            return true;
        }
        catch (RequestFailedException error) when (error.Status == 412)
        {
            return false;
        }
    });

    /// <summary>A view of bytes for a request; they are not copied.</summary>
    public static MemoryStream Stream(ReadOnlyMemory<byte> bytes) =>
        System.Runtime.InteropServices.MemoryMarshal.TryGetArray(bytes, out ArraySegment<byte> array)
        ? new MemoryStream(array.Array!, array.Offset, array.Count, writable: false) : new MemoryStream(bytes.ToArray(), writable: false);

    /// <summary>
    /// Ends the lease, whichever process has it; false when none had, or there is no such blob. Given the blob's mark, only if nothing was
    /// done to it since: a lease changes no mark.
    /// </summary>
    public ValueTask<bool> ReleaseAnyAsync(string name, ETag? unchanged = null) => TryAsync(async () =>
    {
        try
        {
            await Client.GetBlobClient(name).GetBlobLeaseClient().BreakAsync(TimeSpan.Zero, OnlyIf(unchanged));
            return true;
        }
        catch (RequestFailedException error) when (error.Status is 404 or 409 or 412)
        {
            return false; // Nobody had it.
        }
    });

    private static async ValueTask<bool> RenewAsync(BlobContainerClient client, string name, string mark,
        CancellationToken cancellationToken)
    {
        try
        {
            await client.GetBlobClient(name).GetBlobLeaseClient(mark).RenewAsync(cancellationToken: cancellationToken);
            return true;
        }
        catch (RequestFailedException error) when (error.Status is 404 or 409 or 412)
        {
            return false;
        }
    }

    private static RequestConditions? OnlyIf(ETag? unchanged) => unchanged is { } mark ? new RequestConditions { IfMatch = mark } : null;
}
