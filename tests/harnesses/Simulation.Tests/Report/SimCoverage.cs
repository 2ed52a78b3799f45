namespace Ambrosia.Simulation.Tests;

/// <summary>Which faults can hit an instance in which state: the cells of the coverage table that must not be empty.</summary>
internal static class SimCoverage
{
    /// <summary>From this many schedules on nothing of what they are for may have been missed.</summary>
    private const int FullRun = 25_000;

    /// <summary>Whether a run of this size must have hit the cell.</summary>
    public static bool IsRequired(SimFault fault, SimState state, long schedules) =>
        CanHit(fault, state) && (schedules >= FullRun || SimMeasure.Kept.Expects(fault, state, schedules));

    /// <summary>Whether a run of this size must have seen it.</summary>
    public static bool IsRequired(Sighting what, long schedules) =>
        IsCommon(what) && (schedules >= FullRun || SimMeasure.Kept.Expects(what, schedules));

    // The others are too rare to be required even of a full run.
    private static bool IsCommon(Sighting what) =>
        what is not (Sighting.OldConnectionRefused or Sighting.TimerFiredTwice or Sighting.OutputsOfSkippedTurnWithdrawn
            or Sighting.ReplicaFellBehind or Sighting.NumberTaken or Sighting.CheckpointGoneWhileRead or Sighting.SparedByCheckpoint
            or Sighting.LimitDigestsHeld);

    /// <summary>Whether it strikes inside a call of the disk.</summary>
    public static bool IsOfDisk(SimFault fault) => fault is >= SimFault.ReadFailed and <= SimFault.NamingFailed;

    /// <summary>False for meetings that do not exist, or only where an operator decides at that very moment, or retention is late;
    /// docs/internals/testing.md says why.</summary>
    public static bool CanHit(SimFault fault, SimState state) => fault switch
    {
        // Bits are turned on a disk that nobody uses; an operator would not do it to one in use either.
        SimFault.BitRot => state == SimState.Down,
        // What is dead cannot be killed, paused or asked to stop.
        SimFault.CoordinatorKilled or SimFault.CoordinatorPaused or SimFault.Stopped => state != SimState.Down,
        // These strike inside a call of a living coordinator.
        _ when IsOfDisk(fault) && state == SimState.Down => false,
        // Nothing is read where nothing is replayed, verified or taken from a scratch file.
        SimFault.ReadFailed =>
            state is not (SimState.Recovering or SimState.AppGone or SimState.Reconnecting or SimState.Sending or SimState.Idle),
        // Without an app no checkpoint is taken and no segment is filled, so that no name changes.
        SimFault.FolderSyncFailed or SimFault.NamingFailed => state is not (SimState.Recovering or SimState.AppGone),
        _ => true,
    };
}
