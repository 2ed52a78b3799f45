namespace Ambrosia.Simulation.Tests;

/// <summary>Which faults can hit an instance in which state: the cells of the coverage table that must not be empty.</summary>
internal static class SimCoverage
{
    /// <summary>What must have been seen in a full run; the rest is too rare to be required of it.</summary>
    public static bool IsRequired(Sighting what) => what is not (Sighting.OldConnectionRefused or Sighting.TimerFiredTwice or Sighting.OutputsOfSkippedTurnWithdrawn);

    public static bool CanHit(SimFault fault, SimState state) => fault switch
    {
        // Scratch files take outputs of a quarter of a mebibyte to one destination: rare, and counted where it happens.
        _ when state == SimState.Spilling => false,
        // A segment is rolled by a rename and its folder's sync; the sync of its content comes before.
        SimFault.SyncFailed when state == SimState.Rolling => false,
        // Bits are turned on a disk that nobody uses; an operator would not do it to one in use either.
        SimFault.BitRot => state == SimState.Down,
        // These strike inside a call of a living coordinator, and in calls that are made in that state.
        SimFault.ReadFailed => state is SimState.Opening or SimState.FirstStart or SimState.AppRestoring or SimState.Checkpointing,
        SimFault.WriteFailed or SimFault.WriteTorn or SimFault.DiskFull => state is not (SimState.Down or SimState.Idle),
        SimFault.SyncFailed => state is not (SimState.Down or SimState.Idle),
        SimFault.FolderSyncFailed or SimFault.NamingFailed => state is SimState.Opening or SimState.FirstStart or SimState.Checkpointing,
        // Nobody can have connected to an instance that is not known yet.
        SimFault.LinkCut or SimFault.LinkSevered or SimFault.OldLinkReturned => state != SimState.FirstStart,
        // A process that is dead cannot be killed, stopped or asked to stop.
        SimFault.CoordinatorKilled or SimFault.CoordinatorPaused or SimFault.Stopped => state != SimState.Down,
        // No app: nothing of it to kill.
        SimFault.AppPaused => state is not (SimState.Down or SimState.AppGone or SimState.Recovering),
        _ => true,
    };
}
