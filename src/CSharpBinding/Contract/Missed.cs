namespace Ambrosia;

/// <summary>
/// What becomes of occurrences of a schedule whose time came while nobody served the immortal, or while it was busy
/// (docs/guide/schedules.md).
/// </summary>
public enum Missed
{
    /// <summary>All that are due run as one, the newest, however late it is.</summary>
    Once,

    /// <summary>Each runs, the oldest first; of more than 1,000 only the newest 1,000.</summary>
    All,

    /// <summary>Only the newest runs, and only while it is late by a minute at most.</summary>
    Skip,
}
