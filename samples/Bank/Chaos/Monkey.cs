using Ambrosia.Samples;

namespace Bank;

/// <summary>Kills processes at random for a while, also such as are just recovering from the last time, and notes how long each recovery
/// took.</summary>
internal sealed class Monkey(SampleRun run, IReadOnlyList<Unit> units, int seed)
{
    private static readonly TimeSpan s_longestWait = TimeSpan.FromSeconds(3);
    private static readonly Strike[] s_bag =
    [
        Strike.App, Strike.App, Strike.App, Strike.Coordinator, Strike.Coordinator, Strike.Coordinator,
        Strike.Pair, Strike.Pair, Strike.Pair, Strike.TwoPairs, Strike.TwoPairs, Strike.Everything,
    ];

    private readonly Random _random = new(seed);
    private readonly Queue<Strike> _plan = new();
    private readonly List<TimeSpan> _recoveries = [];
    private readonly List<Task> _watches = [];

    /// <summary>Processes killed.</summary>
    public int Kills { get; private set; }

    /// <summary>Blows of each kind.</summary>
    public Dictionary<Strike, int> Strikes { get; } = [];

    /// <summary>How long the immortals that were hit needed until they served again.</summary>
    public IReadOnlyList<TimeSpan> Recoveries => _recoveries;

    public async Task RunAsync(TimeSpan duration)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (true)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(_random.Next(300, 1300)), run.Stopping);
            // Something must be alive to be killed, and some messages must flow in between.
            await MostlyReadyAsync();
            TimeSpan now = TimeProvider.System.GetElapsedTime(start);
            if (now >= duration)
            {
                break;
            }

            Hit(now, Next());
        }

        await Task.WhenAll(_watches).WaitAsync(TimeSpan.FromSeconds(60), run.Stopping);
    }

    private Strike Next()
    {
        if (_plan.Count == 0)
        {
            var bag = (Strike[])s_bag.Clone();
            _random.Shuffle(bag);
            Array.ForEach(bag, _plan.Enqueue);
        }

        return _plan.Dequeue();
    }

    private async Task MostlyReadyAsync()
    {
        Task[] recovering = [.. units.Select(static unit => unit.Ready).Where(static ready => !ready.IsCompleted)];
        if (recovering.Length > units.Count / 2)
        {
            await Task.WhenAny(Task.WhenAll(recovering), Task.Delay(s_longestWait, run.Stopping));
        }
    }

    private void Hit(TimeSpan now, Strike strike)
    {
        int count = strike switch { Strike.Everything => units.Count, Strike.TwoPairs => 2, _ => 1 };
        Part part = strike switch { Strike.App => Part.App, Strike.Coordinator => Part.Coordinator, _ => Part.Both };
        var shuffled = units.ToArray();
        _random.Shuffle(shuffled);
        Unit[] victims = shuffled[..count];
        int killed = victims.Sum(victim => victim.Kill(part));
        if (killed == 0)
        {
            return;
        }

        Kills += killed;
        Strikes[strike] = Strikes.GetValueOrDefault(strike) + 1;
        _watches.Add(WatchAsync(now, Describe(strike, victims), killed, victims));
    }

    private async Task WatchAsync(TimeSpan now, string what, int killed, Unit[] victims)
    {
        TimeSpan[] times = await Task.WhenAll(victims.Select(static victim => victim.Ready));
        lock (_recoveries)
        {
            _recoveries.AddRange(times);
        }

        run.Say($"  {now.TotalSeconds,5:F1} s  kill -9 × {killed,-2}  {what,-34} back after {times.Max().TotalMilliseconds,5:F0} ms");
    }

    private static string Describe(Strike strike, Unit[] victims) => strike switch
    {
        Strike.Everything => "everything at once",
        Strike.App => $"app of {victims[0].Name}",
        Strike.Coordinator => $"coordinator of {victims[0].Name}",
        _ => "pair of " + string.Join(" and of ", victims.Select(static victim => victim.Name)),
    };
}
