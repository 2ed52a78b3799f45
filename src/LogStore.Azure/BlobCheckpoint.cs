using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Storage;
using Azure;
using Azure.Storage.Blobs.Models;

namespace Ambrosia.LogStore.Azure;

/// <summary>
/// A checkpoint in a block blob. It is written in large pieces that nobody sees before the sync, and counts when words about it say so. An
/// interrupted attempt is a blob without those words, or no blob at all.
/// </summary>
/// <param name="container">Where it is.</param>
/// <param name="name">Its name: each attempt has one of its own.</param>
/// <param name="location">The same for messages.</param>
/// <param name="replaces">Whether it takes the place of a blob of this name.</param>
internal sealed class BlobCheckpoint(BlobContainer container, string name, string location, bool replaces = false) : IStoredFile
{
    private const string State = "state";
    private const string Complete = "complete";
    private readonly List<string> _pieces = [];
    private byte[]? _piece;
    private int _filled;
    private long _end;

    /// <summary>What stands about one that counts.</summary>
    public static Dictionary<string, string> CompleteWords => new() { [State] = Complete };

    public string Name => location;

    /// <summary>Whether these words are about one that counts.</summary>
    public static bool IsComplete(IDictionary<string, string> words) => words.TryGetValue(State, out string? state) && state == Complete;

    public async ValueTask<long> GetLengthAsync() => await container.LookAsync(name) is { } seen ? seen.ContentLength : 0;

    public ValueTask<int> ReadAsync(Memory<byte> destination, long offset) => container.ReadAsync(name, destination, offset);

    public async ValueTask AppendAsync(ReadOnlyMemory<byte> source, long offset)
    {
        if (offset != _end)
        {
            throw new InvalidOperationException($"{location} ends at {_end}, not at {offset}.");
        }

        _end += source.Length;
        while (!source.IsEmpty)
        {
            _piece ??= new byte[BlobContainer.LargestPiece];
            int count = Math.Min(source.Length, _piece.Length - _filled);
            source[..count].CopyTo(_piece.AsMemory(_filled));
            _filled += count;
            source = source[count..];
            if (_filled == _piece.Length)
            {
                await StageAsync();
            }
        }
    }

    /// <summary>Makes the blob. Nobody takes it for a checkpoint yet.</summary>
    public async ValueTask SyncAsync()
    {
        if (_filled > 0)
        {
            await StageAsync();
        }

        // A request that comes twice, the second time when the words stand there, would wipe them. That the blob is there already means
        // that the first answer was lost.
        BlobRequestConditions conditions = replaces ? new() : new() { IfNoneMatch = ETag.All };
        if (await container.CommitAsync(name, _pieces, [], conditions) is null && (replaces || await container.LookAsync(name) is null))
        {
            throw new LogFailedException(StoreErrors.WriteFailed, "the pieces of a checkpoint were not accepted", location);
        }
    }

    public ValueTask CutAsync(long length) => throw new InvalidOperationException($"{location} is never cut.");

    public ValueTask PrepareAsync(long from, long to) => default;

    public ValueTask VerifyIdentityAsync() => default;

    public ValueTask DisposeAsync() => default;

    private async ValueTask StageAsync()
    {
        // All names of a blob's pieces are equally long.
        byte[] number = new byte[sizeof(int)];
        System.Buffers.Binary.BinaryPrimitives.WriteInt32BigEndian(number, _pieces.Count);
        string piece = Convert.ToBase64String(number);
        await container.StageAsync(name, piece, _piece.AsMemory(0, _filled));
        _pieces.Add(piece);
        _filled = 0;
    }
}
