namespace Ambrosia.Bench.Immortals;

/// <summary>The sending immortal. It works until it is told to stop, so that a run lasts as long on a slow machine as on a fast one.</summary>
[ImmortalInterface]
public interface ISource
{
    /// <summary>Floods the sink with forks, <paramref name="window"/> batches of <paramref name="batch"/> messages under way at a time.</summary>
    /// <returns>How many messages the sink has executed.</returns>
    [Impulse]
    long Flood(int size, int batch, int window);

    /// <summary>A batch of the flood, <paramref name="messages"/> of it, was executed by the sink.</summary>
    void BatchExecuted(long messages);

    /// <summary>Calls the sink and awaits the answers, with <paramref name="outstanding"/> calls under way at a time.</summary>
    /// <returns>How many calls were answered.</returns>
    [Impulse]
    long Call(int size, int outstanding);

    /// <summary>Lets the flood or the calls end; what is under way is still waited for.</summary>
    [Impulse]
    void Stop();
}
