namespace Ambrosia.Simulation.Tests;

/// <summary>What a handler does next.</summary>
internal enum WalkStep
{
    Fork,
    ForkTwice,
    Ask,
    AskAll,
    AskAny,
    AskNested,
    AskOneself,
    Wait,
    AskInTime,
    Checkpoint,
    Draw,
    Keep,
}
