using Ambrosia.Coordinator.Serving;


namespace Ambrosia.Coordinator.Operations;

/// <summary>What a core is doing, for tests that must know what their faults hit. Read on the core's context.</summary>
internal readonly record struct CoreActivity(
    ReplicaRole Role, bool AppAttached, bool AppIsPrimary, bool AppIsBehind, bool Spills,
    bool LacksConnection, bool HasOutput, long OutputMemory);
