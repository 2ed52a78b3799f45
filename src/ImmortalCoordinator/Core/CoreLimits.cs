namespace Ambrosia.ImmortalCoordinator.Core;

/// <summary>
/// Limits of the core that no option names: how much of one kind is held, or put into one record. Tests shrink them until they are reached. No reader knows
/// them: what stands in a log is bounded by its own bytes alone.
/// </summary>
public sealed record CoreLimits
{
    /// <summary>Digests of executed records that one record carries. Default 4096.</summary>
    public int DigestsPerRecord { get; init; } = 4096;

    /// <summary>Bytes of digests that one record carries, unless a single digest is larger. Default 256 KiB.</summary>
    public int DigestBytesPerRecord { get; init; } = 256 * 1024;

    /// <summary>Trims that one record carries, and decisions of each kind. Default 4096.</summary>
    public int MarksPerRecord { get; init; } = 4096;

    /// <summary>Executed records whose digest the log has not told yet, before it is looked for further on in the log. Default 4096.</summary>
    public int DigestsBeforeLookahead { get; init; } = 4096;

    /// <summary>Executed records whose digest is kept at most until the log tells it; older ones are not compared. Only a replica reaches it. Default 65,536.</summary>
    public int DigestsHeld { get; init; } = 65536;
}
