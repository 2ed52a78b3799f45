namespace Ambrosia.Simulation.Tests;

/// <summary>The observer's part that deals with who may write a log.</summary>
internal sealed partial class SimOracle
{
    /// <summary>
    /// A coordinator has the right to append: under an epoch that nobody had before (docs/internals/exactly-once.md H4, D8). One that is
    /// stopped after its service has made the epoch may say so when it has lost that, and others
    /// have opened theirs.
    /// </summary>
    public void EpochOpened(string instance, ulong epoch, bool mayBeLate)
    {
        SortedSet<ulong> opened = History(instance).OpenedEpochs;
        Require(mayBeLate ? !opened.Contains(epoch)
            : epoch > opened.Max, $"{instance}: epoch {epoch} was opened, and {opened.Max} before it (H4)");
        opened.Add(epoch);
    }

    /// <summary>The last record of an instance of which somebody has executed a message.</summary>
    public ulong LastMessageOf(string instance) => History(instance).LastMessageLsn;
}
