namespace Ambrosia.Simulation.Tests;

/// <summary>
/// A cell of the coverage table that a schedule is after, beside what its seed draws anyway: every fifth seed has one, each cell in its turn. Without it some meetings of a
/// fault and a state are too rare to be required of a run.
/// </summary>
internal sealed record SimAim(SimFault Fault, SimState State)
{
    private const int OneIn = 5;
    private static readonly SimAim[] s_cells =
    [
        .. from state in Enum.GetValues<SimState>() from fault in Enum.GetValues<SimFault>() where SimCoverage.CanHit(fault, state) select new SimAim(fault, state),
    ];

    /// <summary>The schedule's aim; null for most.</summary>
    public static SimAim? Of(int seed) => seed % OneIn == 1 ? s_cells[seed / OneIn % s_cells.Length] : null;

    /// <summary>Sizes with which states are reached that need much output or many checkpoints.</summary>
    public SimSettings Prepare(SimSettings settings) => settings with
    {
        SegmentSize = 64 << 10,
        CheckpointEvery = State == SimState.Checkpointing ? 2000 : settings.CheckpointEvery,
        MaxBuffered = State == SimState.Spilling ? 1 : settings.MaxBuffered,
        MaxPayload = State is SimState.Spilling or SimState.Rolling ? 20_000 : settings.MaxPayload,
        FaultRate = Math.Max(settings.FaultRate, 0.01),
    };
}
