namespace Ambrosia.LogStore.Storage;

/// <summary>One reader's view of a file that is held: closing it closes nothing.</summary>
internal sealed class HeldFile(IStoredFile file) : IStoredFile
{
    public string Name => file.Name;

    public ValueTask<long> GetLengthAsync() => file.GetLengthAsync();

    public ValueTask<int> ReadAsync(Memory<byte> destination, long offset) => file.ReadAsync(destination, offset);

    public ValueTask AppendAsync(ReadOnlyMemory<byte> source, long offset) => throw Refused();

    public ValueTask SyncAsync() => throw Refused();

    public ValueTask CutAsync(long length) => throw Refused();

    public ValueTask PrepareAsync(long from, long to) => throw Refused();

    public ValueTask VerifyIdentityAsync() => throw Refused();

    public ValueTask DisposeAsync() => default;

    private InvalidOperationException Refused() => new($"{Name} is open for reading only.");
}
