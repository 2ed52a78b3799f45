using Ambrosia.TimeTravel.Debugging;

namespace Ambrosia.TimeTravel.Comparing;

/// <summary>One message, or one record where nothing more precise can be known, that two executions treated differently.</summary>
/// <param name="Kind">In what they differ.</param>
/// <param name="At">The message; the end of a record when only its sum is known.</param>
/// <param name="Message">What the message is, for people: who sent it, method, arguments. Null for differences that no message
/// made.</param>
/// <param name="MethodId">Method of the message; 0 without one.</param>
/// <param name="Expected">What the log, or the old version, sent.</param>
/// <param name="Actual">What the new version sent.</param>
/// <param name="Text">The difference in words.</param>
public sealed record Difference(
    DifferenceKind Kind, Position At, MessageSummary? Message, int MethodId, IReadOnlyList<SentMessage> Expected,
    IReadOnlyList<SentMessage> Actual, string Text);
