using Ambrosia.Primitives;

namespace Ambrosia.CrashPoints.Tests.Scripts;

/// <summary>What the world was told by the processes that ran on a disk: whatever happens, it holds.</summary>
internal sealed record Promises
{
    /// <summary>Last record that was acknowledged.</summary>
    public ulong Acknowledged { get; set; }

    /// <summary>Highest epoch that was told.</summary>
    public ulong Epoch { get; set; }

    /// <summary>Newest checkpoint that was said to be durable.</summary>
    public ulong Checkpoint { get; set; }
}
