using Ambrosia.Inspection.Text;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.TimeTravel.Comparing;

/// <summary>A logged message, kept for a report.</summary>
/// <param name="At">Where it stands.</param>
/// <param name="Time">When it was logged.</param>
/// <param name="From">Its sender.</param>
/// <param name="Kind">What it is.</param>
/// <param name="MethodId">Method called or answered.</param>
/// <param name="Arguments">Arguments or value, as JSON on one line.</param>
public sealed record MessageSummary(Position At, DateTimeOffset Time, string From, MessageKind Kind, int MethodId, string Arguments)
{
    /// <summary>What is worth keeping of a message.</summary>
    public static MessageSummary Of(LoggedMessage message) => new(
        message.Position, message.Time, message.From, message.Kind, message.MethodId, CallText.Json(message.Body));
}
