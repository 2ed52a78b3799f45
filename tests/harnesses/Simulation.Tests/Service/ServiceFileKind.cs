namespace Ambrosia.Simulation.Tests;

/// <summary>What a service keeps a file as.</summary>
internal enum ServiceFileKind
{
    Segment,
    Checkpoint,
    UnfinishedCheckpoint,
    CutTail,
}
