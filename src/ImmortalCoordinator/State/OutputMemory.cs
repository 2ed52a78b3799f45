namespace Ambrosia.ImmortalCoordinator.State;

/// <summary>Bytes of memory that the outputs to one destination hold.</summary>
internal sealed class OutputMemory
{
    public long Bytes { get; private set; }

    public void Add(long bytes) => Bytes += bytes;

    public void Remove(long bytes) => Bytes -= bytes;
}
