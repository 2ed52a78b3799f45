namespace Ambrosia.Coordinator.Outside;

/// <summary>What a turn answered to a call from outside.</summary>
/// <param name="Turn">The record whose turn it is.</param>
/// <param name="Form">How the bytes are to be read: a result, or an exception.</param>
/// <param name="Bytes">The answer.</param>
public readonly record struct OutsideAnswer(ulong Turn, byte Form, ReadOnlyMemory<byte> Bytes);
