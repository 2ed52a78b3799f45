namespace Ambrosia;

/// <summary>How one schedule of an immortal stands.</summary>
public sealed record Schedule
{
    /// <summary>Its name, unique within the immortal.</summary>
    public required string Name { get; init; }

    /// <summary>When it runs, as a cron expression.</summary>
    public required string Expression { get; init; }

    /// <summary>Id of the time zone in which the expression counts.</summary>
    public required string TimeZone { get; init; }

    /// <summary>What becomes of occurrences that were missed.</summary>
    public required Missed Missed { get; init; }

    /// <summary>The next occurrence (UTC); null until it was chosen, if there is trouble, and if there is none any more.</summary>
    public DateTimeOffset? Next { get; init; }

    /// <summary>The occurrence that ran last (UTC); null if none did.</summary>
    public DateTimeOffset? Last { get; init; }

    /// <summary>Occurrences that ran.</summary>
    public long Runs { get; init; }

    /// <summary>Occurrences that were missed and did not run.</summary>
    public long LeftOut { get; init; }

    /// <summary>Why the next occurrence cannot be told; "" if it can.</summary>
    public string Trouble { get; init; } = "";
}
