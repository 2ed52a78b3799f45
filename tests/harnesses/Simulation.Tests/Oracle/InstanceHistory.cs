using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>What is known of one instance: every message it was ever given by anybody, and who had sent it.</summary>
internal sealed class InstanceHistory
{
    /// <summary>Messages by their place in the log.</summary>
    public Dictionary<(ulong Lsn, int Index), (ulong Identity, ulong Epoch, long Timestamp)> Executed { get; } = [];

    /// <summary>State by place: equal in each life that was there.</summary>
    public Dictionary<(ulong Lsn, int Index, int What), ulong> States { get; } = [];

    /// <summary>Who sent a message to this instance, as the how-manieth.</summary>
    public Dictionary<ulong, (Connection From, int Number)> Senders { get; } = [];

    /// <summary>Impulses handed over for this instance.</summary>
    public Dictionary<ulong, SentImpulse> Impulses { get; } = [];

    /// <summary>Timers that have rung.</summary>
    public HashSet<ulong> Timers { get; } = [];

    /// <summary>What a checkpoint, known by the hash of its bytes, was taken of.</summary>
    public Dictionary<ulong, SavedState> Checkpoints { get; } = [];

    /// <summary>Messages that were taken out of its log.</summary>
    public Quarantine Quarantine { get; } = new();

    /// <summary>All lives of its app.</summary>
    public List<AppLife> Lives { get; } = [];

    public ulong LastLsn { get; set; }

    /// <summary>The last record of which a message was executed.</summary>
    public ulong LastMessageLsn { get; set; }

    public int LastIndex { get; set; } = -1;

    public ulong LastEpoch { get; set; }

    /// <summary>Which version of the app executes what.</summary>
    public Lineage Versions { get; set; } = Lineage.First;

    /// <summary>How often somebody wanted it to become a version.</summary>
    public Dictionary<int, int> Asked { get; } = [];

    /// <summary>The last record of which an app that acts has executed a message.</summary>
    public ulong ActedThrough { get; set; }

    /// <summary>Epochs that coordinators have opened.</summary>
    public SortedSet<ulong> OpenedEpochs { get; } = [];

    public long LastTimestamp { get; set; }
}
