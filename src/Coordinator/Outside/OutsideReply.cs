namespace Ambrosia.Coordinator.Outside;

/// <summary>What its caller is told of a call from outside.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Form">With an answer: how its bytes are to be read, a result or an exception, as in a reply between immortals.</param>
/// <param name="Bytes">With an answer: its bytes.</param>
public readonly record struct OutsideReply(OutsideReplyKind Kind, byte Form = 0, ReadOnlyMemory<byte> Bytes = default);
