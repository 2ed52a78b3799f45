using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore.Read;

/// <summary>What a reader has to know of the log that it reads: where it lies, and how far it is durable.</summary>
internal interface ILogEnds
{
    ILogStorage Storage { get; }

    SegmentIndex Index { get; }

    /// <summary>Bytes that writers gather in one record.</summary>
    int PageSize { get; }

    /// <summary>This process writes the log: it knows what is durable, and need not prove it.</summary>
    bool IsWriter { get; }

    /// <summary>Last record on stable storage, as far as is known here.</summary>
    Lsn DurableLsn { get; }

    /// <summary>Highest record that a reader has proven durable. A lower value changes nothing.</summary>
    Lsn ProvenLsn { get; set; }

    /// <summary>A checkpoint proves every record before it. <see cref="Lsn.None"/> when there is none.</summary>
    Lsn NewestCheckpoint { get; }
}
