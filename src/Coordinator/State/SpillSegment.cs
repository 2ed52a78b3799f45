using Ambrosia.Coordinator.Errors;
using Ambrosia.LogStore.Files;

namespace Ambrosia.Coordinator.State;

/// <summary>One scratch file. It is deleted when nothing in it is wanted any more.</summary>
internal sealed class SpillSegment(SpillFile owner, IFile file)
{
    private bool _full;

    public long Written { get; private set; }

    public long Live { get; private set; }

    public string Path => file.Path;

    public async ValueTask<long> WriteAsync(ReadOnlyMemory<byte> bytes)
    {
        long offset = Written;
        Written += bytes.Length;
        Live += bytes.Length;
        await file.WriteAsync(bytes, offset);
        return offset;
    }

    public async ValueTask ReadAsync(Memory<byte> destination, long offset)
    {
        int read = await file.ReadAsync(destination, offset);
        if (read != destination.Length)
        {
            throw new CoordinatorException(
                OutputErrors.ScratchFileShort,
                "a scratch file is short",
                $"{Path} at {offset}: {destination.Length} bytes wanted, {read} there",
                "the log is not affected",
                "restart: replay makes the outputs again");
        }
    }

    /// <summary>Nothing further is written; the file goes with its last live byte.</summary>
    public void Seal()
    {
        _full = true;
        DeleteIfDead();
    }

    public void Release(long bytes)
    {
        Live -= bytes;
        owner.Released(bytes);
        DeleteIfDead();
    }

    public ValueTask CloseAsync() => file.DisposeAsync();

    private void DeleteIfDead()
    {
        if (_full && Live == 0)
        {
            owner.Retire(this);
        }
    }
}
