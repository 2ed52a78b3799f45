namespace Ambrosia.TimeTravel.Comparing;

/// <summary>What is run again, and how closely it is compared.</summary>
public sealed record RetroactiveOptions
{
    /// <summary>LSN of the checkpoint to begin at; null for the oldest that is kept. 0, or a log without checkpoints, begins with a fresh object and record 1.</summary>
    public ulong? From { get; init; }

    /// <summary>Last message to run; null for the end of the log.</summary>
    public Position? To { get; init; }

    /// <summary>Differences described in full; those beyond are only counted. Default 100.</summary>
    public int MaxDescribed { get; init; } = 100;

    /// <summary>Ends at the first difference. Default false.</summary>
    public bool StopAtFirst { get; init; }

    /// <summary>Whether states are compared, too. Default true.</summary>
    public bool CompareStates { get; init; } = true;

    /// <summary>Clock of the report. Default: the system's.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;
}
