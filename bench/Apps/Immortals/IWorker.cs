namespace Ambrosia.Bench.Immortals;

/// <summary>Every immortal of the benchmarks: it sends and receives. It works until it is told to stop, so that a run lasts as long on a
/// slow machine as on a fast one.</summary>
[ImmortalInterface]
public interface IWorker
{
    /// <summary>Floods each of the targets (names, separated by commas) with forks, <paramref name="window"/> batches of
    /// <paramref name="batch"/> messages under way to each.</summary>
    /// <returns>How many messages were executed there. It ends at a stop, or when about <paramref name="limit"/> were sent if that is not
    /// 0.</returns>
    [Impulse]
    long Flood(string targets, int size, int batch, int window, long limit);

    /// <summary>Calls the targets in turn and awaits the answers, with <paramref name="outstanding"/> calls under way.</summary>
    /// <returns>How many calls were answered.</returns>
    [Impulse]
    long Call(string targets, int size, int outstanding);

    /// <summary>One call to <paramref name="target"/> on behalf of the outside world; gives back what that answers.</summary>
    [Impulse]
    byte[] Relay(string target, byte[] payload);

    /// <summary>Lets the flood or the calls end; what is under way is still waited for.</summary>
    [Impulse]
    void Stop();

    /// <summary>Adds so many MB to the state.</summary>
    [Impulse]
    void Grow(int megabytes);

    /// <summary>Asks for a checkpoint.</summary>
    [Impulse]
    void Save();

    /// <summary>How many messages of floods were taken in the whole life.</summary>
    [Impulse]
    long Taken();

    /// <summary>One message of a flood.</summary>
    void Take(byte[] payload);

    /// <summary>Ends a batch of the flood: the sender hears of it when everything before has been executed.</summary>
    void EndBatch(string sender, int messages);

    /// <summary>A batch was executed by <paramref name="target"/>.</summary>
    void BatchExecuted(string target, int messages);

    /// <summary>Gives back what it gets.</summary>
    byte[] Echo(byte[] payload);
}
