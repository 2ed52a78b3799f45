namespace Ambrosia.ImmortalCoordinator.Ingest;

/// <summary>Consecutive messages of one input in a record's payload: who sent what, for people and tools.</summary>
internal readonly record struct InputRun(int InputIndex, int Messages, int Bytes);
