using Ambrosia.LogStore.Storage;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>A stored file that consists of the bytes at hand.</summary>
internal sealed class BytesFile : IStoredFile
{
    public ReadOnlyMemory<byte> Bytes { get; set; }

    public string Name => "file";

    public ValueTask<long> GetLengthAsync() => new(Bytes.Length);

    public ValueTask<int> ReadAsync(Memory<byte> destination, long offset)
    {
        ReadOnlyMemory<byte> rest = offset < Bytes.Length ? Bytes[(int)offset..] : default;
        int count = Math.Min(rest.Length, destination.Length);
        rest[..count].CopyTo(destination);
        return new(count);
    }

    public ValueTask AppendAsync(ReadOnlyMemory<byte> source, long offset) => throw new NotSupportedException();

    public ValueTask SyncAsync() => default;

    public ValueTask CutAsync(long length) => throw new NotSupportedException();

    public ValueTask PrepareAsync(long from, long to) => default;

    public ValueTask VerifyIdentityAsync() => default;

    public ValueTask DisposeAsync() => default;
}
