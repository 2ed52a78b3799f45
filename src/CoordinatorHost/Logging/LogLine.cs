using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Logging;

/// <summary>One log event on its way to a line.</summary>
/// <param name="Time">When it was written, in local time.</param>
/// <param name="Level">Severity.</param>
/// <param name="Event">Stable id and name.</param>
/// <param name="Category">Part of the product.</param>
/// <param name="Message">Text for people.</param>
/// <param name="Fields">Values of the text, by name.</param>
/// <param name="Exception">What went wrong, if something did.</param>
/// <param name="WithStackTrace">True at debug level only.</param>
public readonly record struct LogLine(
    DateTimeOffset Time, LogLevel Level, EventId Event, string Category, string Message,
    IReadOnlyList<KeyValuePair<string, object?>> Fields, Exception? Exception, bool WithStackTrace);
