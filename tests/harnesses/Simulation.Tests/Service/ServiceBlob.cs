using Ambrosia.LogStore.Storage;

namespace Ambrosia.Simulation.Tests;

/// <summary>An attempt at a checkpoint as LogStore.Azure makes it: nobody sees anything of it before it is a blob as a whole, and nobody
/// takes that for a checkpoint yet.</summary>
internal sealed class ServiceBlob(ServiceClient client, ulong number, string attempt) : IStoredFile
{
    private readonly MemoryStream _bytes = new();

    public string Name => $"service attempt {attempt} at checkpoint {number}";

    public ValueTask<long> GetLengthAsync() =>
        client.AskAsync(service => (long)(service.Find(ServiceFileKind.UnfinishedCheckpoint, number, attempt)?.Length ?? 0));

    public async ValueTask<int> ReadAsync(Memory<byte> destination, long offset)
    {
        int count = destination.Length;
        byte[] read = await client.AskAsync(service =>
            service.Find(ServiceFileKind.UnfinishedCheckpoint, number, attempt)?.Read(offset, count) ?? []);
        read.CopyTo(destination);
        return read.Length;
    }

    public ValueTask AppendAsync(ReadOnlyMemory<byte> source, long offset)
    {
        _bytes.Write(source.Span);
        return default;
    }

    public ValueTask SyncAsync()
    {
        byte[] whole = _bytes.ToArray();
        bool wasMade = false; // Pieces that were made into a blob are gone with it: a request that comes again makes nothing of them.
        return client.TellAsync(service =>
        {
            if (!wasMade)
            {
                wasMade = true;
                service.TryMake(ServiceFileKind.UnfinishedCheckpoint, number, attempt, whole);
            }
        });
    }

    public ValueTask CutAsync(long length) => throw new InvalidOperationException($"{Name} is never cut.");

    public ValueTask PrepareAsync(long from, long to) => default;

    public ValueTask VerifyIdentityAsync() => default;

    public ValueTask DisposeAsync()
    {
        _bytes.Dispose();
        return default;
    }
}
