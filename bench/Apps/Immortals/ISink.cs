namespace Ambrosia.Bench.Immortals;

/// <summary>The receiving immortal.</summary>
[ImmortalInterface]
public interface ISink
{
    /// <summary>One message of a flood.</summary>
    void Take(byte[] payload);

    /// <summary>Ends a batch of the flood: the sender hears of it when everything before has been executed.</summary>
    void EndBatch(string sender);

    /// <summary>Gives back what it gets.</summary>
    byte[] Echo(byte[] payload);
}
