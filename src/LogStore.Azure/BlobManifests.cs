using System.Globalization;
using Ambrosia.LogStore.Errors;
using Azure;
using Azure.Storage.Blobs.Models;

namespace Ambrosia.LogStore.Azure;

/// <summary>
/// The copies of the manifest, block blobs that are replaced as a whole. The next holder marks them, and every replacement names the mark
/// that it saw last: so a superseded holder replaces nothing.
/// </summary>
internal sealed class BlobManifests(BlobContainer container, BlobNames names)
{
    private const int Copies = 2;
    private const int MaxSize = 16 << 20;
    private const string Writer = "writer";
    private readonly ETag[] _marks = new ETag[Copies];

    /// <summary>Content of a copy; null when nobody has written it.</summary>
    public async ValueTask<byte[]?> ReadAsync(int copy)
    {
        string name = names.Manifest(copy);
        if (await container.LookAsync(name) is not { ContentLength: > 0 } seen)
        {
            return null;
        }

        byte[] content = new byte[Math.Min(seen.ContentLength, MaxSize)];
        int read = await container.ReadAsync(name, content, 0);
        return content[..read];
    }

    /// <summary>From now on the copies are this lease's.</summary>
    public async ValueTask TakeAsync(BlobLease lease)
    {
        for (int copy = 0; copy < Copies; copy++)
        {
            await TakeAsync(copy, lease);
        }

        // A process that was stopped on the way and superseded has marked what is its successor's, and must not get as far as writing. The
        // successor marks it again.
        await lease.ProveAsync();
    }

    /// <summary>Replaces a copy.</summary>
    /// <exception cref="LeaseLostException">Another has taken it.</exception>
    public async ValueTask WriteAsync(int copy, ReadOnlyMemory<byte> content, BlobLease lease)
    {
        ETag? written;
        while ((written = await TryWriteAsync(copy, content, lease)) is null)
        {
            // Another process marked it meanwhile. Only one of the two still has the log's lease: it marks it again. The proof comes last:
            // a mark of its own that is newer than its successor's writes nothing.
            await TakeAsync(copy, lease);
            await lease.ProveAsync();
        }

        _marks[copy] = written.Value;
    }

    private async ValueTask TakeAsync(int copy, BlobLease lease)
    {
        string name = names.Manifest(copy);
        ETag? taken = null;
        while (taken is null)
        {
            // An empty one is made where there is none: what does not exist cannot be marked.
            taken = await container.NoteAsync(name, WordsOf(lease), new BlobRequestConditions())
                ?? await container.CommitAsync(name, [], WordsOf(lease), new BlobRequestConditions { IfNoneMatch = ETag.All })
                ?? (await LookAtOursAsync(copy, lease))?.ETag;
            if (taken is null)
            {
                await lease.ProveAsync();
            }
        }

        _marks[copy] = taken.Value;
    }

    private async ValueTask<ETag?> TryWriteAsync(int copy, ReadOnlyMemory<byte> content, BlobLease lease)
    {
        string name = names.Manifest(copy);
        var pieces = new List<string>();
        for (int at = 0; at < content.Length; at += BlobContainer.LargestPiece)
        {
            // The lease's mark keeps our pieces apart from those of a process that does not know yet that it has lost it.
            pieces.Add(Convert.ToBase64String(
                System.Text.Encoding.ASCII.GetBytes(lease.Mark + pieces.Count.ToString("D4", CultureInfo.InvariantCulture))));
            await container.StageAsync(name, pieces[^1], content.Slice(at, Math.Min(BlobContainer.LargestPiece, content.Length - at)));
        }

        var unchanged = new BlobRequestConditions { IfMatch = _marks[copy] };
        return await container.CommitAsync(name, pieces, WordsOf(lease), unchanged) ?? await FindOursAsync(copy, content, lease);
    }

    private static Dictionary<string, string> WordsOf(BlobLease lease) => new() { [Writer] = lease.Mark };

    /// <summary>It was refused: an earlier attempt of ours has done it and its answer was lost, or another has taken the copy.</summary>
    private async ValueTask<ETag?> FindOursAsync(int copy, ReadOnlyMemory<byte> content, BlobLease lease)
    {
        BlobProperties? now = await LookAtOursAsync(copy, lease);
        return now is not null && await ReadAsync(copy) is { } stored && content.Span.SequenceEqual(stored) ? now.ETag : null;
    }

    private async ValueTask<BlobProperties?> LookAtOursAsync(int copy, BlobLease lease) =>
        await container.LookAsync(names.Manifest(copy)) is
            { } now && now.Metadata.TryGetValue(Writer, out string? writer) && writer == lease.Mark ? now : null;
}
