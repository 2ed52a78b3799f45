using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>The sagas of one immortal that compensate, in the order in which they began: state, for people to see.</summary>
internal sealed class SagaTable
{
    private readonly List<SagaRun> _running = [];
    private RoutineFigures? _figures;

    /// <summary>True if people have not been told all of it.</summary>
    public bool HasChanged { get; private set; }

    /// <summary>A saga begins to compensate.</summary>
    public void Add(SagaRun run) => _running.Add(run);

    /// <summary>It has ended.</summary>
    public void Remove(SagaRun run) => _running.Remove(run);

    /// <summary>One of them stands otherwise.</summary>
    public void Changed() => HasChanged = _figures is not null;

    /// <summary>From now on people are told.</summary>
    public void Start(RoutineFigures? figures)
    {
        _figures = figures;
        HasChanged = figures is not null && _running.Count > 0;
    }

    /// <summary>Turns have ended: people see what they changed.</summary>
    public void ShowChanged()
    {
        if (HasChanged)
        {
            HasChanged = false;
            _figures?.Set([.. _running.Take(RoutinesTold.Most).Select(static run => run.ToTold())]);
        }
    }

    /// <summary>The table as state.</summary>
    public SagaRun[] Save() => [.. _running];

    /// <summary>Puts the table into a saved state.</summary>
    public void Restore(IEnumerable<SagaRun> saved)
    {
        _running.Clear();
        _running.AddRange(saved);
    }
}
