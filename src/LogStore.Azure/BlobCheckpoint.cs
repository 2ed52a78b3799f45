using Ambrosia.LogStore.Storage;
using Azure.Storage.Blobs.Models;

namespace Ambrosia.LogStore.Azure;

/// <summary>
/// A checkpoint in a block blob. It is written in large pieces that nobody sees before the sync, and counts when words about it say so. An interrupted attempt is a blob
/// without those words, or no blob at all.
/// </summary>
internal sealed class BlobCheckpoint(BlobContainer container, string name, string location) : IStoredFile
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

        if (await container.CommitAsync(name, _pieces, [], new BlobRequestConditions()) is null)
        {
            throw new LogFailedException("IC-2031", LogExitCode.DeviceFailed, "the pieces of a checkpoint were not accepted", location);
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
