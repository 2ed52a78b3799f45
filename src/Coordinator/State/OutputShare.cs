namespace Ambrosia.Coordinator.State;

/// <summary>Bytes of memory that the outputs to one destination hold; they count against the limit of all.</summary>
internal sealed class OutputShare(OutputMemory memory)
{
    public long Bytes { get; private set; }

    public void Add(long bytes)
    {
        Bytes += bytes;
        memory.Add(bytes);
    }
}
