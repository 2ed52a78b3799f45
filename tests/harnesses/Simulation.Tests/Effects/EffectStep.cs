namespace Ambrosia.Simulation.Tests;

/// <summary>What a handler asks of the outside.</summary>
internal enum EffectStep
{
    Pay,
    PayTwice,
    Mail,
    Ship,
    PayInTime,
    PayOrCancel,
}
