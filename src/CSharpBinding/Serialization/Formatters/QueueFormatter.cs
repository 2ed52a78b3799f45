namespace Ambrosia.Serialization;

/// <summary>Queues, from the first to leave to the last.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct QueueFormatter<T, TFormatter> : IFormatter<Queue<T>>
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, Queue<T> value)
    {
        if (value is null)
        {
            writer.ThrowNull("A queue");
        }

        writer.Enter();
        writer.WriteArrayHeader(value.Count);
        foreach (T item in value)
        {
            default(TFormatter).Write(ref writer, item);
        }

        writer.Leave();
    }

    /// <inheritdoc/>
    public Queue<T> Read(ref MessagePackReader reader)
    {
        reader.Enter();
        int count = reader.ReadArrayHeader();
        Queue<T> items = new(Math.Min(count, MessagePackLimits.MaxInitialCapacity));
        for (int i = 0; i < count; i++)
        {
            items.Enqueue(default(TFormatter).Read(ref reader));
        }

        reader.Leave();
        return items;
    }
}
