using System.Globalization;
using System.Text;
using Ambrosia.Coordinator.Context;

namespace Ambrosia.Simulation.Tests;

/// <summary>What a number of schedules did: for people, and for the assertion that they did enough. Several can be added up.</summary>
internal sealed class SimReport
{
    private static readonly SimFault[] s_faults = Enum.GetValues<SimFault>();
    private static readonly SimState[] s_states = Enum.GetValues<SimState>();
    private static readonly Sighting[] s_limits = [.. Enum.GetNames<CoreLimit>()
        .Select(static limit => Enum.Parse<Sighting>("Limit" + limit))];
    private readonly long[,] _hits = new long[s_faults.Length, s_states.Length];
    private readonly long[] _sightings = new long[Enum.GetValues<Sighting>().Length];

    public long Schedules { get; private set; }

    public long Executions { get; private set; }

    public long Steps { get; private set; }

    public long VirtualTicks { get; private set; }

    public void Count(SimFault fault, SimState state) => _hits[(int)fault, (int)state]++;

    public void Sometimes(Sighting what) => _sightings[(int)what]++;

    /// <summary>A coordinator's limit has decided something.</summary>
    public void Decided(CoreLimit limit) => Sometimes(s_limits[(int)limit]);

    /// <summary>Takes an event of a coordinator's log by its id.</summary>
    public void Logged(int eventId, string role, bool inService)
    {
        if (inService && eventId switch { 1304 when role == "checkpointer" => Sighting.CheckpointByReplicaInService, 1309 =>
            Sighting.LogFollowedInService, 1310 => Sighting.PromotedInService, _ => (Sighting?)null } is { } there)
        {
            Sometimes(there);
        }

        Sighting? seen = eventId switch
        {
            1304 when role == "checkpointer" => Sighting.CheckpointByReplica,
            1305 => Sighting.CheckpointFailed,
            1309 => Sighting.LogFollowed,
            1310 => Sighting.Promoted,
            1311 => Sighting.StalledPrimaryEnded,
            1314 => Sighting.PlaceHandedOver,
            1315 => Sighting.CheckpointGoneWhileRead,
            1405 => Sighting.SilentPeerGivenUp,
            1408 => Sighting.DrainBeforeAnswer,
            1500 => Sighting.AppRefused,
            1504 => Sighting.AppDiedSomewhere,
            1505 => Sighting.AppDiedInMessage,
            1506 => Sighting.HeldForPoison,
            1507 => Sighting.HoldReleased,
            1508 => Sighting.Quarantined,
            1509 => Sighting.QuarantineRefused,
            1511 => Sighting.DeadLetterDropped,
            1532 => Sighting.OutputsDropped,
            1533 => Sighting.GapAccepted,
            1534 => Sighting.OutputsNotDropped,
            1517 => Sighting.Upgraded,
            1518 => Sighting.UpgradeFailed,
            1519 => Sighting.UpgradeTried,
            1520 => Sighting.UpgradeWaited,
            2002 => Sighting.TornTailCut,
            2003 => Sighting.SegmentRolled,
            2004 => Sighting.LogReleased,
            2006 => Sighting.CheckpointAdopted,
            2010 => Sighting.ManifestRebuilt,
            2011 => Sighting.DamagedCheckpointSkipped,
            _ => null,
        };
        if (seen is { } sighting)
        {
            Sometimes(sighting);
        }
    }

    /// <summary>A message was not quarantined.</summary>
    public void QuarantineRefused(string why)
    {
        if (why.Contains("has made the checkpoint", StringComparison.Ordinal))
        {
            Sometimes(Sighting.SparedByCheckpoint);
        }
    }

    public void Add(SimCluster cluster)
    {
        Schedules++;
        Executions += cluster.Executions;
        Steps += cluster.Steps;
        VirtualTicks += cluster.VirtualTicks;
    }

    public void Add(SimReport other)
    {
        Schedules += other.Schedules;
        Executions += other.Executions;
        Steps += other.Steps;
        VirtualTicks += other.VirtualTicks;
        for (int fault = 0; fault < s_faults.Length; fault++)
        {
            for (int state = 0; state < s_states.Length; state++)
            {
                _hits[fault, state] += other._hits[fault, state];
            }
        }

        for (int i = 0; i < _sightings.Length; i++)
        {
            _sightings[i] += other._sightings[i];
        }
    }

    /// <summary>
    /// What a run of this size must have done and has not: of the full size everything, of a smaller one what others have done so often
    /// that it cannot be chance.
    /// </summary>
    public IReadOnlyList<string> Gaps()
    {
        var gaps = new List<string>();
        foreach (SimFault fault in s_faults)
        {
            gaps.AddRange(s_states
                .Where(state => _hits[(int)fault, (int)state] == 0 && SimCoverage.IsRequired(fault, state, Schedules))
                .Select(state => $"{fault} never hit an instance while {state}"));
        }

        gaps.AddRange(Enum.GetValues<Sighting>().Where(what => _sightings[(int)what] == 0
            && SimCoverage.IsRequired(what, Schedules)).Select(static what => $"{what} was never seen"));
        return gaps;
    }

    public string Describe(TimeSpan real)
    {
        var text = new StringBuilder();
        var time = TimeSpan.FromTicks(VirtualTicks);
        text.AppendLine(CultureInfo.InvariantCulture,
            $"{Schedules} schedules, {Executions} executions, {Steps} steps, {s_faults.Sum(Sum)} faults");
        text.AppendLine(CultureInfo.InvariantCulture,
            $"{time.TotalHours:F1} h of virtual time in {real.TotalSeconds:F1} s: {time / real:F0} times real time, "
            + $"{Schedules / real.TotalSeconds:F1} schedules/s");
        DescribeFaults(text);
        text.Append("seen:");
        foreach (Sighting what in Enum.GetValues<Sighting>())
        {
            text.Append(CultureInfo.InvariantCulture,
                $" {what} {_sightings[(int)what]}{(what == Enum.GetValues<Sighting>()[^1] ? "" : ",")}");
        }

        return text.AppendLine().ToString();
    }

    private void DescribeFaults(StringBuilder text)
    {
        text.Append(CultureInfo.InvariantCulture, $"{"fault / hit while",-20}{"all",8}");
        foreach (SimState state in s_states)
        {
            text.Append(CultureInfo.InvariantCulture, $"{state,14}");
        }

        text.AppendLine();
        foreach (SimFault fault in s_faults)
        {
            text.Append(CultureInfo.InvariantCulture, $"{fault,-20}{Sum(fault),8}");
            foreach (SimState state in s_states)
            {
                long hits = _hits[(int)fault, (int)state];
                text.Append(CultureInfo.InvariantCulture, $"{(hits > 0 || SimCoverage.CanHit(fault, state) ? $"{hits}" : "-"),14}");
            }

            text.AppendLine();
        }
    }

    private long Sum(SimFault fault) => s_states.Sum(state => _hits[(int)fault, (int)state]);
}
