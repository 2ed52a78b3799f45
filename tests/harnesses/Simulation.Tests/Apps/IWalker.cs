namespace Ambrosia.Simulation.Tests;

/// <summary>What the apps of a simulated cluster offer each other. What a call does follows from its id and what is left of its
/// depth.</summary>
[ImmortalInterface]
public interface IWalker
{
    void Walk(ulong id, int depth, byte[] load);

    ulong Ask(ulong id, int depth, byte[] load);

    [Impulse]
    void Poke(ulong id, int depth, byte[] load);
}
