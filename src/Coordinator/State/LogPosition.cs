using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.State;

/// <summary>
/// Where a process stands in the instance's log: what is durable, what an app may have executed, and whether the process follows. Known
/// before the state is, and as long as the process lives. Single-threaded by the core's context.
/// </summary>
internal sealed class LogPosition
{
    private bool _follows;

    /// <summary>Everything up to here is durable and may be delivered (G3).</summary>
    public Lsn Durable { get; set; }

    /// <summary>No app has executed a record after this one. As far as nobody knows, one has.</summary>
    public Lsn Executed { get; set; }

    /// <summary>False until the app's first checkpoint is durable.</summary>
    public bool HasCheckpoint { get; set; }

    /// <summary>True on a secondary: what the app gets is replay, and the end of it is not known yet.</summary>
    public bool Follows
    {
        get => _follows;
        set
        {
            Executed = _follows && !value ? Durable : Executed; // The last primary's app may have executed all of them.
            _follows = value;
            HasFollowed |= value;
        }
    }

    /// <summary>Another replica wrote this log, or still does, and kept of it what its own app needed.</summary>
    public bool HasFollowed { get; private set; }

    /// <summary>Records up to here are replay for an app that attaches now.</summary>
    public Lsn ReplayThrough => Follows ? new Lsn(ulong.MaxValue) : Durable;

    /// <summary>Flags of a replayed record, for an app that compares builds or for another.</summary>
    public byte ReplayFlags(Lsn lsn, bool compares) =>
        compares && !Follows && lsn > Executed ? (byte)(RecordInfo.Replay | RecordInfo.Unexecuted) : RecordInfo.Replay;
}
