using Ambrosia.PowerCut.Tests.Volumes;
using Ambrosia.PowerCut.Tests.Writing;

namespace Ambrosia.PowerCut.Tests.Running;

/// <summary>What was cut so far; also chooses what to cut next, so that what is rare in the course of things is not rare here.</summary>
internal sealed class Coverage
{
    private const int MostPatient = 60; // Lives that wait long for a call that no cut has met.
    private readonly object _gate = new();
    private readonly SortedDictionary<string, int> _calls = new(StringComparer.Ordinal);
    private int _patient;

    public SortedDictionary<string, int> Systems { get; } = new(StringComparer.Ordinal);

    public SortedDictionary<string, int> Modes { get; } = new(StringComparer.Ordinal);

    public SortedDictionary<string, int> Phases { get; } = new(StringComparer.Ordinal);

    /// <summary>Cuts by the calls that were under way; 0 for a call that was seen and never cut.</summary>
    public IReadOnlyDictionary<string, int> Calls => _calls;

    public int Cuts { get; private set; }

    public int Recoveries { get; private set; }

    public int TornTails { get; private set; }

    public int Survivors { get; private set; }

    public int FromCheckpoint { get; private set; }

    public int MostUnconfirmed { get; private set; }

    public long Flushes { get; private set; }

    public long Checkpoints { get; private set; }

    public long Segments { get; private set; }

    public List<string> Violations { get; } = [];

    /// <summary>Disks whose own file system reported itself damaged, and what it said.</summary>
    public List<string> RuinedDisks { get; } = [];

    /// <summary>Three of four times at the call that was cut least, otherwise by time.</summary>
    public PowerPlan Choose(Random random)
    {
        lock (_gate)
        {
            string? call = _calls.Count == 0 || random.Next(4) == 0 ? null
                : _calls.OrderBy(pair => pair.Value).ThenBy(_ => random.Next()).First().Key;
            bool isUnseen = call is not null && _calls[call] == 0 && _patient++ < MostPatient;
            int passing = Math.Max(1, random.Next(6) - 2);
            return new PowerPlan(call, isUnseen ? 1 : passing, (CutPlace)random.Next(3), random.Next(300)) { IsUnseen = isUnseen };
        }
    }

    public void Add(Volume volume, CutMode mode, bool writeBack, PowerSwitch power, Life life)
    {
        lock (_gate)
        {
            Cuts++;
            Count(Systems, volume.Kind.Name);
            Count(Modes, (mode == CutMode.JournalKept ? "journal kept" : "journal lost") + (writeBack ? " with stray pages" : ""));
            Count(Phases, life.Phase);
            foreach (string call in power.Seen)
            {
                _calls.TryAdd(call, 0);
            }

            foreach (string call in power.Interrupted)
            {
                Count(_calls, call);
            }

            Flushes += life.Result.Flushes;
            Checkpoints += life.Result.Checkpoints;
            Segments += life.Result.Segments;
            AddRecovery(life.Result);
        }
    }

    public void AddRecovery(LifeResult result)
    {
        lock (_gate)
        {
            Recoveries += result.HasRecovered ? 1 : 0;
            TornTails += result.TornBytes > 0 ? 1 : 0;
            Survivors += result.Unconfirmed > 0 ? 1 : 0;
            FromCheckpoint += result.UsedCheckpoint ? 1 : 0;
            MostUnconfirmed = Math.Max(MostUnconfirmed, (int)result.Unconfirmed);
        }
    }

    /// <summary>Notes a ruined disk; the cut that showed it counts, unless it was none.</summary>
    public void Ruined(string what, bool last)
    {
        lock (_gate)
        {
            RuinedDisks.Add(what);
            Cuts += last ? 0 : 1;
        }
    }

    public void Violated(string what)
    {
        lock (_gate)
        {
            Violations.Add(what);
        }
    }

    private static void Count(SortedDictionary<string, int> counts, string key) => counts[key] = counts.GetValueOrDefault(key) + 1;
}
