namespace Ambrosia.Coordinator.Operations;

/// <summary>What is known about one destination.</summary>
public sealed record OutputStatus
{
    /// <summary>Its instance name.</summary>
    public required string Peer { get; init; }

    /// <summary>True while it is connected.</summary>
    public bool Connected { get; init; }

    /// <summary>Why it is not; empty when it is.</summary>
    public string LastError { get; init; } = "";

    /// <summary>Number of the last message made for it.</summary>
    public ulong Total { get; init; }

    /// <summary>Number of the last message that it reported durable.</summary>
    public ulong Acknowledged { get; init; }

    /// <summary>Bytes kept in memory until it reports them durable.</summary>
    public long BufferedBytes { get; init; }

    /// <summary>Bytes kept on disk because memory did not suffice.</summary>
    public long SpilledBytes { get; init; }

    /// <summary>Number of the last message for it that was dropped; 0 if none was.</summary>
    public ulong Dropped { get; init; }

    /// <summary>True while the app waits because this destination's share of the scratch space is used up.</summary>
    public bool HoldsApp { get; init; }
}
