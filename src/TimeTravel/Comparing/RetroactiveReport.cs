namespace Ambrosia.TimeTravel.Comparing;

/// <summary>What came of running a log again.</summary>
public sealed record RetroactiveReport
{
    /// <summary>The baseline where there is no other version to compare with.</summary>
    public const string TheLog = "the log";

    /// <summary>Instance whose log it is.</summary>
    public required string Instance { get; init; }

    /// <summary>Where the run began: after this record.</summary>
    public required ulong From { get; init; }

    /// <summary>Last message executed.</summary>
    public required Position To { get; init; }

    /// <summary>What the new version was compared with.</summary>
    public required string Baseline { get; init; }

    /// <summary>There was no other version to compare with.</summary>
    internal bool IsAgainstLog { get; init; }

    /// <summary>Messages executed.</summary>
    public required long Messages { get; init; }

    /// <summary>Messages that the new version sent.</summary>
    public required long Outputs { get; init; }

    /// <summary>Time it took.</summary>
    public required TimeSpan Elapsed { get; init; }

    /// <summary>Places at which states were compared.</summary>
    public required int StatesCompared { get; init; }

    /// <summary>Records whose outputs were compared with what the log says of them.</summary>
    public required long DigestsCompared { get; init; }

    /// <summary>Times that the version compared with was saved, started anew and loaded.</summary>
    public required int Recoveries { get; init; }

    /// <summary>
    /// Forks and impulses whose handler threw in the new version. A log does not tell of those: against another version they are compared,
    /// against the log only counted.
    /// </summary>
    public required long Faults { get; init; }

    /// <summary>Effects that the new version asked for. None is performed.</summary>
    public long Effects { get; init; }

    /// <summary>All differences, those included that are only counted.</summary>
    public required long DifferenceCount { get; init; }

    /// <summary>The first differences, in the order of the log.</summary>
    public required IReadOnlyList<Difference> Differences { get; init; }

    /// <summary>Differences by the method of the message that made them.</summary>
    public required IReadOnlyDictionary<int, long> ByMethod { get; init; }

    /// <summary>
    /// Why the run ended before the log's end: the live instance deleted what comes next. Null if it did not. This is no difference.
    /// </summary>
    public string? Cut { get; init; }

    /// <summary>Whether both did the same all the way.</summary>
    public bool IsSame => DifferenceCount == 0;

    /// <summary>Messages executed per second.</summary>
    public double Rate => Elapsed > TimeSpan.Zero ? Messages / Elapsed.TotalSeconds : 0;
}
