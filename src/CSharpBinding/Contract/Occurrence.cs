namespace Ambrosia;

/// <summary>The occurrence of a schedule for which a handler runs.</summary>
/// <param name="Schedule">Name of the schedule.</param>
/// <param name="Due">When it was due (UTC): equal to or before log time, and earlier the longer nobody served.</param>
/// <param name="LeftOut">How many occurrences before it were missed and do not run.</param>
public readonly record struct Occurrence(string Schedule, DateTimeOffset Due, long LeftOut);
