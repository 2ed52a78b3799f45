namespace Ambrosia.TimeTravel.Comparing;

/// <summary>What is run again, and how closely it is compared.</summary>
public sealed record RetroactiveOptions
{
    /// <summary>
    /// LSN of the checkpoint to begin at; null for the oldest that is kept. 0, or a log without checkpoints, begins with a fresh object
    /// and record 1.
    /// </summary>
    public ulong? From { get; init; }

    /// <summary>Last message to run; null for the end of the log.</summary>
    public Position? To { get; init; }

    /// <summary>Differences described in full; those beyond are only counted. Default 100.</summary>
    public int MaxDescribed { get; init; } = 100;

    /// <summary>Ends at the first difference. Default false.</summary>
    public bool StopAtFirst { get; init; }

    /// <summary>Whether states are compared, too. Default true.</summary>
    public bool CompareStates { get; init; } = true;

    /// <summary>
    /// Whether the new version converts the state at the beginning by its <c>UpgradeFrom</c>, as if it had been upgraded there; states are
    /// not compared then. Default false.
    /// </summary>
    public bool Upgrade { get; init; }

    /// <summary>
    /// How often the version that is compared with is saved, started anew and loaded on the way, at checkpoints of the log, while the
    /// other one runs through: so that what a recovery loses makes a difference. Default 0; it needs a version to compare with.
    /// </summary>
    public int Recoveries { get; init; }

    /// <summary>Clock of the report. Default: the system's.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;
}
