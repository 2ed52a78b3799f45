namespace Ambrosia.LogStore.Read;

/// <summary>How far a reader may go.</summary>
public enum ReadLimit
{
    /// <summary>
    /// Records whose durability is proven: by this process's own syncs when it is the writer, otherwise by what later records say. Never a
    /// record that could still disappear.
    /// </summary>
    Durable,

    /// <summary>Everything that is valid, also a last record that nothing proves durable yet. For people who look at a log.</summary>
    Everything,
}
