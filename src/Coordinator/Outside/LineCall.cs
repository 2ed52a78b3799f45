namespace Ambrosia.Coordinator.Outside;

/// <summary>A message of a record is a call with a key.</summary>
/// <param name="Number">Number of the call: the messages from outside so far, this one included (outside-calls.md X4).</param>
/// <param name="Index">Which message of the record it is.</param>
/// <param name="Line">Number of its line.</param>
/// <param name="N">Its number in the line; 1 in a line of one call.</param>
/// <param name="Low">The caller is done with all calls of the line up to this one.</param>
/// <param name="Body">Hash of method, kind of content and body: a repeat must have the same.</param>
public readonly record struct LineCall(ulong Number, int Index, ulong Line, ulong N, ulong Low, ulong Body);
