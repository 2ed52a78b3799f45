namespace Ambrosia.Simulation.Tests;

/// <summary>The observer's part that deals with who may write a log.</summary>
internal sealed partial class SimOracle
{
    /// <summary>A coordinator has the right to append: under an epoch that nobody had before (H4, D8).</summary>
    public void EpochOpened(string instance, ulong epoch)
    {
        InstanceHistory history = History(instance);
        Require(epoch > history.OpenedEpoch, $"{instance}: epoch {epoch} was opened, and {history.OpenedEpoch} before it (H4)");
        history.OpenedEpoch = epoch;
    }

    /// <summary>The last record of an instance of which somebody has executed a message.</summary>
    public ulong LastMessageOf(string instance) => History(instance).LastMessageLsn;
}
