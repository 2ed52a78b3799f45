namespace Ambrosia.Interleavings.Tests.Schedules;

/// <summary>
/// Every schedule in which at most so many actors are interrupted while they could go on (Musuvathi and Qadeer, CHESS): most bugs of this
/// kind need one or two interruptions, at the right places. Depth first, without repeating itself; first all without interruption, then
/// with one, and so on.
/// </summary>
public sealed class BoundedPreemptions(int most) : IStrategy
{
    private readonly List<(int Chosen, int Options)> _path = [];
    private int _bound;
    private int _depth;
    private int _preemptions;

    public int Choose(IReadOnlyList<int> able, int present)
    {
        bool canGoOn = present >= 0;
        int options = !canGoOn ? able.Count : _preemptions < _bound ? able.Count : 1;
        int chosen = 0;
        if (options > 1)
        {
            if (_depth == _path.Count)
            {
                _path.Add((0, options));
            }

            chosen = _path[_depth++].Chosen;
        }

        if (!canGoOn)
        {
            return able[chosen];
        }

        _preemptions += chosen > 0 ? 1 : 0;
        return chosen == 0 ? present : able.Where(actor => actor != present).ElementAt(chosen - 1);
    }

    public bool Next()
    {
        (_depth, _preemptions) = (0, 0);
        while (_path.Count > 0)
        {
            (int chosen, int options) = _path[^1];
            _path.RemoveAt(_path.Count - 1);
            if (chosen + 1 < options)
            {
                _path.Add((chosen + 1, options));
                return true;
            }
        }

        return ++_bound <= most;
    }

    public string Describe() =>
        $"at most {_bound} interruptions, choices {string.Join(' ', _path.Take(_depth).Select(step => step.Chosen))}";
}
