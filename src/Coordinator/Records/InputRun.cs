namespace Ambrosia.Coordinator.Records;

/// <summary>Consecutive messages of one input in a record's payload: who sent what, for people and tools.</summary>
public readonly record struct InputRun(int InputIndex, int Messages, int Bytes);
