using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Storage;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.Simulation.Tests;

/// <summary>A segment or checkpoint that a simulated service keeps. What it is changed under is the token of the lease; a reader has
/// none.</summary>
internal sealed class ServiceStoredFile(ServiceClient client, ServiceFile file, ServiceLease? lease) : IStoredFile
{
    public string Name { get; } = $"service {file.Kind} {file.Number}";

    private ServiceLease Writing => lease ?? throw new InvalidOperationException($"{Name} was opened for reading only.");

    public ValueTask<long> GetLengthAsync() => client.AskAsync(_ => file.IsGone ? 0L : file.Length);

    public async ValueTask<int> ReadAsync(Memory<byte> destination, long offset)
    {
        int count = destination.Length;
        byte[] read = await client.AskAsync(_ => file.Read(offset, count));
        read.CopyTo(destination);
        return read.Length;
    }

    public async ValueTask AppendAsync(ReadOnlyMemory<byte> source, long offset)
    {
        byte[] bytes = source.ToArray(); // A request that is late must not carry what its sender has put into the same place since.
        long token = Writing.Token;
        long? end = await client.AskAsync(_ => file.Append(token, bytes, offset));
        Writing.Require(end is not null);
        if (end < offset)
        {
            throw new StoreForgotException(Name, end, offset);
        }

        if (end != offset + source.Length)
        {
            throw new LogFailedException(StoreErrors.WriteFailed,
                $"the file ends at {end} and an append up to {offset + source.Length} was not accepted", Name);
        }
    }

    public ValueTask SyncAsync() => default;

    public async ValueTask CutAsync(long length)
    {
        long token = Writing.Token;
        Writing.Require(await client.AskAsync(_ => file.Cut(token, length)));
    }

    public ValueTask PrepareAsync(long from, long to) => default;

    public ValueTask VerifyIdentityAsync() => default;

    public ValueTask DisposeAsync() => default;
}
