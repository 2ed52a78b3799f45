using Ambrosia.Primitives;

namespace Ambrosia.Simulation.Tests;

/// <summary>The sender from one erasure to the next: what its log would hold. Its processes come and go.</summary>
internal sealed class RemadeIdentity(int number, Guid id)
{
    /// <summary>How an observer tells it from those before and after it.</summary>
    public string Name => $"{RemadeSender.Name}#{number}";

    public int Number => number;

    public Guid Id => id;

    /// <summary>The epoch of its newest process.</summary>
    public ulong Epoch { get; set; }

    /// <summary>Everything it was ever to send, in order: each of its processes brings all of it forth.</summary>
    public List<byte[]> Messages { get; } = [];
}
