namespace Ambrosia.Interleavings.Tests.Schedules;

/// <summary>
/// The able actor of the highest priority moves; priorities are drawn, and at a few drawn steps the one that moves falls behind all others
/// (Burckhardt et al., PCT, ASPLOS 2010). Every so many a schedule is a plain random walk instead.
/// </summary>
public sealed class RandomPriorities(int firstSeed, int count, int changes, int expectedSteps, int walkEvery = 8) : IStrategy
{
    private readonly Dictionary<int, int> _priorities = [];
    private readonly HashSet<int> _changeAt = [];
    private Random _random = new(firstSeed);
    private int _seed = firstSeed - 1;
    private int _step;
    private int _lowest;
    private bool _walk;

    public int Choose(IReadOnlyList<int> able, int present)
    {
        if (_walk)
        {
            return able[_random.Next(able.Count)];
        }

        if (_changeAt.Contains(_step++) && present >= 0)
        {
            _priorities[present] = --_lowest;
        }

        int best = able[0];
        foreach (int actor in able)
        {
            best = PriorityOf(actor) > PriorityOf(best) ? actor : best;
        }

        return best;
    }

    public bool Next()
    {
        _random = new Random(++_seed);
        (_step, _lowest, _walk) = (0, 0, _seed % walkEvery == 0);
        _priorities.Clear();
        _changeAt.Clear();
        for (int i = 0; i < changes; i++)
        {
            _changeAt.Add(_random.Next(expectedSteps));
        }

        return _seed < firstSeed + count;
    }

    public string Describe() => $"random priorities, seed {_seed}";

    private int PriorityOf(int actor)
    {
        if (!_priorities.TryGetValue(actor, out int priority))
        {
            _priorities[actor] = priority = _random.Next(1, 1 << 20);
        }

        return priority;
    }
}
