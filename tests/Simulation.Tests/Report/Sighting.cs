namespace Ambrosia.Simulation.Tests;

/// <summary>
/// What must have been seen sometimes (PROTOCOL D15): a run of the full size in which one of these never happened has not tested what it claims to.
/// </summary>
internal enum Sighting
{
    FirstConnection,
    PlainReconnect,
    Rebase,
    DrainBeforeAnswer,
    OldConnectionRefused,
    PeerUnknown,
    SilentPeerGivenUp,
    AppRefused,
    TornTailCut,
    UnsyncedNamesLost,
    SegmentRolled,
    LogReleased,
    CheckpointFailed,
    DamagedCheckpointPassedOver,
    ManifestRebuilt,
    RotStoppedCoordinator,
    DeviceStoppedCoordinator,
    ImpulseExecuted,
    ImpulseLost,
    MessageGeneratedAgain,
    MessageExecutedAgain,
    AwaitResumedAgain,
    TimerFiredTwice,
    StateCompared,
    GraphCompared,
    CallRefused,
    LargeMessage,
    AppRestored,
}
