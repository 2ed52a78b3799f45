using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;

namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>What one life has seen, for the report.</summary>
internal sealed class LifeResult
{
    public bool HasRecovered { get; private set; }

    public long TornBytes { get; private set; }

    public ulong Unconfirmed { get; private set; }

    public bool UsedCheckpoint { get; private set; }

    public ulong Records { get; private set; }

    public int Segments;

    public int Flushes;

    public int Checkpoints;

    public void Recovered(WriterStart start, Recovery recovery)
    {
        (HasRecovered, TornBytes, Unconfirmed) = (true, start.TornBytes, recovery.Unconfirmed);
        (UsedCheckpoint, Records) = (recovery.CheckpointLsn > 0, start.LastLsn.Value);
    }
}
