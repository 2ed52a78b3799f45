namespace Timers;

/// <summary>A reminder that is still to come.</summary>
public sealed record Reminder(string Text, DateTimeOffset Due);
