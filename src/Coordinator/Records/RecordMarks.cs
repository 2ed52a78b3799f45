using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Records;

/// <summary>What a record says beside its messages. A page gathers it, <see cref="RecordTrailer"/> holds its bytes.</summary>
public class RecordMarks
{
    public int MessageCount { get; protected set; }

    public List<InputWatermark> Inputs { get; } = [];

    public List<InputRun> Runs { get; } = [];

    public List<TrimPoint> Trims { get; } = [];

    public List<TurnDigest> Turns { get; } = [];

    public List<QuarantineStep> Poison { get; } = [];

    public List<VersionChange> Upgrades { get; } = [];

    public List<BuildStep> Builds { get; } = [];

    /// <summary>Outputs that are not sent any more.</summary>
    public List<DropPoint> Drops { get; } = [];

    /// <summary>Calls from outside; null if it has none with a key.</summary>
    public OutsideMarks? Outside { get; set; }

    /// <summary>By what awakeables are named from this record on; null: as before.</summary>
    public AwakeableKey? Awakeables { get; set; }

    /// <summary>Largest message that a handler may send from this record on; 0: as before.</summary>
    public long LargestMessage { get; set; }

    protected void ClearMarks()
    {
        MessageCount = 0;
        Inputs.Clear();
        Runs.Clear();
        Trims.Clear();
        Turns.Clear();
        Poison.Clear();
        Upgrades.Clear();
        Builds.Clear();
        Drops.Clear();
        Outside = null;
        Awakeables = null;
        LargestMessage = 0;
    }
}
