namespace Ambrosia.Simulation.Tests;

/// <summary>What the apps of a simulated cluster ask of the world outside. What is right follows from the id.</summary>
[EffectInterface(MaxPending = EffectPlan.MaxPending)]
[Retry(Timeout = "00:00:02", First = "00:00:00.0200000", Longest = "00:00:01")]
public interface IOutside
{
    /// <summary>Gives a receipt: a number that is never given again, and whatever stands behind it.</summary>
    Task<byte[]> Pay(ulong id, EffectContext effect);

    Task Mail(ulong id, EffectContext effect);

    [OneAtATime]
    Task<ulong> Ship(ulong id, EffectContext effect);
}
