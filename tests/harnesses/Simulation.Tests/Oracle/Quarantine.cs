using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>What the observer knows of an instance's messages that were taken out.</summary>
internal sealed class Quarantine
{
    /// <summary>No life may execute these any more.</summary>
    public HashSet<MessagePosition> Skips { get; } = [];

    /// <summary>Letters that nobody has asked to re-drive or drop: they must be kept.</summary>
    public HashSet<MessagePosition> Kept { get; } = [];

    /// <summary>Letters that somebody has asked to re-drive, by the message: each may be executed once more, at one place.</summary>
    public Dictionary<ulong, HashSet<MessagePosition>> Asked { get; } = [];

    /// <summary>Letters of which the coordinator has said that they are re-driven: they must be executed.</summary>
    public HashSet<MessagePosition> Owed { get; } = [];
}
