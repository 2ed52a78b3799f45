namespace Ambrosia.Coordinator.Records;

/// <summary>Consecutive messages of one input in a record's payload: its sender and what it sent, for people and tools.</summary>
public readonly record struct InputRun(int InputIndex, int Messages, int Bytes);
