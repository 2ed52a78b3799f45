namespace Ambrosia.Coordinator.Operations;

/// <summary>What the app told about one of its schedules (docs/guide/schedules.md), at most a second ago.</summary>
public sealed record ScheduleStatus
{
    /// <summary>Its name.</summary>
    public string Name { get; init; } = "";

    /// <summary>When it runs, as a cron expression.</summary>
    public string Expression { get; init; } = "";

    /// <summary>Id of the time zone in which the expression counts.</summary>
    public string TimeZone { get; init; } = "";

    /// <summary>What becomes of occurrences that were missed: once, all or skip.</summary>
    public string Missed { get; init; } = "";

    /// <summary>The next occurrence; null if none is known.</summary>
    public DateTimeOffset? Next { get; init; }

    /// <summary>The occurrence that ran last; null if none did.</summary>
    public DateTimeOffset? Last { get; init; }

    /// <summary>Occurrences that ran.</summary>
    public long Runs { get; init; }

    /// <summary>Occurrences that were missed and did not run.</summary>
    public long LeftOut { get; init; }

    /// <summary>Why no next occurrence is known; empty if one is.</summary>
    public string Trouble { get; init; } = "";
}
