namespace Ambrosia.Simulation.Tests;

/// <summary>
/// A row of cells of the coverage table that a schedule is after, beside what its seed draws anyway: one state, and the faults that are
/// to hit an instance in it. Every fifth
/// seed has one, each in its turn. Without it some meetings of a fault and a state are too rare to be required of a run.
/// </summary>
/// <param name="State">In which an instance is to be hit.</param>
/// <param name="Faults">By what.</param>
/// <param name="OfDisk">They strike inside calls of the disk, and have to be armed for them.</param>
internal sealed record SimAim(SimState State, SimFault[] Faults, bool OfDisk)
{
    private const int OneIn = 5;
    private static readonly SimAim[] s_aims = [.. Enum.GetValues<SimState>().SelectMany(AimsAt)];

    /// <summary>The schedule's aim; null for most.</summary>
    public static SimAim? Of(int seed) => seed % OneIn == 1 ? s_aims[seed / OneIn % s_aims.Length] : null;

    /// <summary>Sizes with which states are reached that need much output or many checkpoints.</summary>
    public SimSettings Prepare(SimSettings settings) => settings with
    {
        SegmentSize = 64 << 10,
        CheckpointEvery = State == SimState.Checkpointing ? 2000 : settings.CheckpointEvery,
        MaxBuffered = State == SimState.Spilling ? 1 : settings.MaxBuffered,
        MaxPayload = State is SimState.Spilling or SimState.Rolling ? 20_000 : settings.MaxPayload,
        FaultRate = Math.Max(settings.FaultRate, 0.01),
    };

    // Calls that fail are rarer than anything else: of three schedules two are after them.
    private static IEnumerable<SimAim> AimsAt(SimState state)
    {
        SimFault[] all = [.. Enum.GetValues<SimFault>().Where(fault => SimCoverage.CanHit(fault, state))];
        SimFault[] ofDisk = [.. all.Where(SimCoverage.IsOfDisk)];
        yield return new SimAim(state, [.. all.Except(ofDisk)], OfDisk: false);
        if (ofDisk.Length > 0)
        {
            yield return new SimAim(state, ofDisk, OfDisk: true);
            yield return new SimAim(state, ofDisk, OfDisk: true);
        }
    }
}
