namespace Ambrosia.LogStore.Append;

/// <summary>A record about to be written.</summary>
public struct RecordDraft(Lsn lsn, Epoch epoch, long timestamp)
{
    /// <summary>Position that the record gets.</summary>
    public Lsn Lsn { get; } = lsn;

    /// <summary>Epoch of the writer.</summary>
    public Epoch Epoch { get; } = epoch;

    /// <summary>Time of the record in 100 ns ticks since 0001-01-01 UTC; never smaller than that of the record before.</summary>
    public long Timestamp { get; } = timestamp;

    /// <summary>Kind byte, opaque to the log. Default 0.</summary>
    public byte Kind { get; set; }

    /// <summary>Flags byte, opaque to the log. Default 0.</summary>
    public byte Flags { get; set; }
}
