using System.Globalization;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Storage;
using Azure;
using Azure.Storage.Blobs.Models;

namespace Ambrosia.LogStore.Azure;

/// <summary>
/// A segment in an append blob. Each append names the lease and the place where it goes to: nothing of a later holder is changed, and what
/// is sent twice happens once. Such a blob cannot be shortened; where it was cut is noted beside it and counts for every reader.
/// </summary>
/// <param name="container">Where it lies.</param>
/// <param name="name">Its name there.</param>
/// <param name="location">Its name for messages.</param>
/// <param name="lease">What it is changed under; a reader has none.</param>
/// <param name="mostAppends">Appends after which it is full.</param>
internal sealed class BlobSegment(BlobContainer container, string name, string location, BlobLease? lease, int mostAppends) : IStoredFile
{
    /// <summary>The service takes 50,000; the difference is room for one record in many pieces.</summary>
    public const int MostAppends = 45_000;

    private const string Length = "length";
    private int _appends;
    private long _end = -1; // Where our last append ended.

    public string Name => location;

    public bool IsFull => _appends >= mostAppends;

    /// <summary>Where a blob with these words was cut.</summary>
    public static long CutAt(IDictionary<string, string> words) =>
        words.TryGetValue(Length, out string? text) && long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long length)
        ? length : long.MaxValue;

    public async ValueTask<long> GetLengthAsync() =>
        await container.LookAsync(name) is { } seen ? Math.Min(seen.ContentLength, CutAt(seen.Metadata)) : 0;

    public ValueTask<int> ReadAsync(Memory<byte> destination, long offset) => container.ReadAsync(name, destination, offset);

    public async ValueTask AppendAsync(ReadOnlyMemory<byte> source, long offset)
    {
        for (int at = 0; at < source.Length; at += BlobContainer.LargestPiece)
        {
            await AppendPieceAsync(source.Slice(at, Math.Min(BlobContainer.LargestPiece, source.Length - at)), offset + at, offset);
        }
    }

    // An append is durable when it is answered.
    public ValueTask SyncAsync() => default;

    public async ValueTask CutAsync(long length)
    {
        if (_end == length || await GetLengthAsync() <= length)
        {
            return;
        }

        BlobLease held = Writing();
        Dictionary<string, string> words = new() { [Length] = length.ToString(CultureInfo.InvariantCulture) };
        while (await container.NoteAsync(name, words, new BlobRequestConditions { LeaseId = held.Mark }) is null)
        {
            // A process took the blob that had proved the log's lease before it was stopped. Only one of the two still has that: it takes
            // it again. Nobody appends to it any more.
            await held.ProveAsync();
            if (!await container.TakeAsync(name, held.Mark) && await container.LookAsync(name) is null)
            {
                throw Removed();
            }
        }
    }

    public ValueTask PrepareAsync(long from, long to) => default;

    // Each append asks for the lease of this very blob.
    public ValueTask VerifyIdentityAsync() => default;

    public ValueTask DisposeAsync() => default;

    private BlobLease Writing() => lease ?? throw new InvalidOperationException($"{location} was opened for reading only.");

    /// <summary>Appends the header, with which a segment begins to exist; false when the blob, or its lease, is another's.</summary>
    public async ValueTask<bool> TryBeginAsync(ReadOnlyMemory<byte> header)
    {
        if (!await TryAppendAsync(header, 0) && !await IsBegunAsync(header))
        {
            return false;
        }

        Count(header.Length);
        return true;
    }

    /// <summary>Whether it is ours and holds this header and no more: an earlier attempt of ours, whose answer was lost.</summary>
    public async ValueTask<bool> IsBegunAsync(ReadOnlyMemory<byte> header) =>
        await container.LengthUnderAsync(name, Writing().Mark) == header.Length && await HoldsAsync(header, 0);

    private async ValueTask AppendPieceAsync(ReadOnlyMemory<byte> piece, long offset, long confirmed)
    {
        bool accepted = await TryAppendAsync(piece, offset);
        if (!accepted)
        {
            await RequireAcceptedAsync(piece, offset, confirmed, Writing());
        }

        Count(offset + piece.Length);
    }

    /// <summary>
    /// What the service has forgotten of this segment, which is the newest; null if it is as long as was confirmed. From any thread.
    /// </summary>
    public async ValueTask<StoreForgotException?> FindForgottenAsync()
    {
        long confirmed = Volatile.Read(ref _end); // Before the length is asked for, which grows.
        long? length = (await container.LookAsync(name))?.ContentLength;
        return length >= confirmed ? null : new StoreForgotException(location, length, confirmed);
    }

    private void Count(long end)
    {
        _appends++;
        Volatile.Write(ref _end, end);
    }

    private ValueTask<bool> TryAppendAsync(ReadOnlyMemory<byte> piece, long offset)
    {
        BlobLease held = Writing();
        var options = new AppendBlobAppendBlockOptions
            { Conditions = new AppendBlobRequestConditions { LeaseId = held.Mark, IfAppendPositionEqual = offset } };
        return container.TryAsync(async () =>
        {
            try
            {
                using MemoryStream stream = BlobContainer.Stream(piece);
                await container.AppendBlob(name).AppendBlockAsync(stream, options);
                return true;
            }
            catch (RequestFailedException error) when (error.Status is 404 or 409 or 412)
            {
                return false;
            }
        });
    }

    /// <summary>
    /// It was refused: an earlier attempt of ours has done it and its answer was lost, or the right to append is another's. That the length
    /// fits says too little: the bytes must be ours.
    /// </summary>
    private async ValueTask RequireAcceptedAsync(ReadOnlyMemory<byte> piece, long offset, long confirmed, BlobLease held)
    {
        long end = offset + piece.Length;
        long? found = await container.LengthUnderAsync(name, held.Mark);
        if (found is not { } length || length < confirmed)
        {
            throw await LossAsync(confirmed, held);
        }

        if (length != end)
        {
            throw new LogFailedException(StoreErrors.WriteFailed, $"the blob ends at {length} and an append up to {end} was not accepted",
                location);
        }

        if (!await HoldsAsync(piece, offset))
        {
            string what = $"the blob holds other bytes from {offset} to {end} than were appended";
            throw new LogFailedException(StoreErrors.WriteFailed, what, location);
        }
    }

    /// <summary>
    /// Why it is not ours any more, or too short. An append blob never becomes shorter, and the next holder cuts nothing that was
    /// confirmed: then the service has forgotten it. One that is not there was removed by the next holder, unless there is none.
    /// </summary>
    private async ValueTask<LogStoreException> LossAsync(long confirmed, BlobLease held)
    {
        long? length = (await container.LookAsync(name))?.ContentLength;
        if (length >= confirmed)
        {
            return await held.LossAsync();
        }

        if (length is null && await held.FindForgottenAsync() is null)
        {
            await held.ProveAsync();
        }

        return new StoreForgotException(location, length, confirmed);
    }

    private async ValueTask<bool> HoldsAsync(ReadOnlyMemory<byte> bytes, long offset)
    {
        byte[] stored = new byte[bytes.Length];
        return await ReadAsync(stored, offset) == stored.Length && bytes.Span.SequenceEqual(stored);
    }

    private LogFailedException Removed() => new(StoreErrors.FileReplaced, "the blob was removed while it was written", location);
}
