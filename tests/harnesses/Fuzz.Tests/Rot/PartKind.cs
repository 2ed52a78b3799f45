namespace Ambrosia.Fuzz.Tests.Rot;

/// <summary>Kinds of stretches of a log's files, by what damage to them may lead to.</summary>
internal enum PartKind
{
    /// <summary>Header of a segment.</summary>
    SegmentHeader,

    /// <summary>A record that something later proves durable.</summary>
    Record,

    /// <summary>The last record of the log, which nothing proves durable.</summary>
    LastRecord,

    /// <summary>The zeros right after the last record.</summary>
    EndMark,

    /// <summary>Space prepared behind the end, spare segments, the lock: nothing is read from there.</summary>
    Unused,

    /// <summary>Header, block or footer of the newest checkpoint.</summary>
    NewestCheckpoint,

    /// <summary>The same of an older one.</summary>
    OlderCheckpoint,

    /// <summary>A copy of the manifest.</summary>
    Manifest,

    /// <summary>A file of the catalog.</summary>
    Catalog,
}
