namespace Ambrosia.Coordinator.Operations;

/// <summary>What is known about one sender.</summary>
public sealed record InputStatus
{
    /// <summary>Its instance name.</summary>
    public required string Peer { get; init; }

    /// <summary>True while it is connected.</summary>
    public bool Connected { get; init; }

    /// <summary>Number of the last durable message, impulses counted.</summary>
    public ulong Total { get; init; }

    /// <summary>Number of the last durable message, impulses not counted.</summary>
    public ulong Replayable { get; init; }

    /// <summary>Its epoch when it sent that message.</summary>
    public ulong Epoch { get; init; }
}
