using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Settings;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.Interleavings.Tests.Schedules;

/// <summary>
/// Runs the threads of a system so that exactly one moves at a time and a strategy decides, before every access to what they share, who
/// moves next. Who has the baton picks its successor itself, so a step without a change of actors costs next to nothing.
/// </summary>
internal sealed class Baton(IStrategy strategy, int mostSteps) : IPageProbe, ILoopRunner, IDisposable
{
    private readonly List<Actor> _actors = [];
    private readonly SemaphoreSlim _over = new(0);
    private readonly List<int> _able = [];
    private int _last = -1;

    /// <summary>What is wrong with the schedule; null if nothing is.</summary>
    public string? Violation { get; private set; }

    public int Steps { get; private set; }

    /// <summary>How often another actor moved than the one before.</summary>
    public int Switches { get; private set; }

    /// <summary>Equal for equal schedules.</summary>
    public ulong Hash { get; private set; } = 14695981039346656037;

    /// <summary>Adds an actor; it moves once <see cref="Run"/> was called.</summary>
    public Task Start(string name, Func<Task> loop)
    {
        // Continuations in place, where they do no more than post to their actor: Task.WhenAll would otherwise go through the thread pool,
        // which nobody schedules here.
        var ended = new TaskCompletionSource();
        _actors.Add(new Actor(this, _actors.Count, name, async () =>
        {
            try
            {
                await loop();
            }
            finally
            {
                ended.TrySetResult();
            }
        }));
        return ended.Task;
    }

    /// <summary>Runs everybody to the end, or until nobody can move or something is violated.</summary>
    public void Run()
    {
        Pick(null)!.GiveTurn();
        _over.Wait();
        Violation ??= _actors.Find(actor => actor.Failure is not null) is { } failed ? $"{failed.Name}: {failed.Failure}" : null;
    }

    public void BeforeStep()
    {
        if (Actor.Self is { } self)
        {
            Pass(self);
        }
    }

    public void BeforeLock(object gate)
    {
        if (Actor.Self is { } self)
        {
            self.Gate = gate;
            Pass(self);
            self.Gate = null;
        }
    }

    public void HandedOver()
    {
    }

    public void Dispose() => _over.Dispose();

    public void Require(bool condition, string violation)
    {
        if (!condition)
        {
            Violation ??= violation;
        }
    }

    /// <summary>Lets the strategy choose; returns when the actor has the baton again.</summary>
    public void Pass(Actor self)
    {
        if (Pick(self) is { } next)
        {
            if (next != self)
            {
                next.GiveTurn();
                self.AwaitTurn();
            }
        }
        else
        {
            Stop();
            self.AwaitTurn();
        }
    }

    public void End(Actor self)
    {
        if (self.Failure is not null || _actors.TrueForAll(actor => actor.Ended))
        {
            _over.Release();
        }
        else if (Pick(self) is { } next)
        {
            next.GiveTurn();
        }
        else
        {
            Stop();
        }
    }

    // The threads of a schedule that went wrong stay where they are.
    private void Stop()
    {
        Violation ??= $"nobody can move, and these have not ended: "
            + $"{string.Join(", ", _actors.Where(actor => !actor.Ended).Select(actor => actor.Name))}";
        _over.Release();
    }

    private Actor? Pick(Actor? self)
    {
        _able.Clear();
        foreach (Actor actor in _actors)
        {
            if (actor.Able)
            {
                _able.Add(actor.Number);
            }
        }

        if (++Steps > mostSteps)
        {
            Violation ??= $"no end after {mostSteps} steps";
        }

        if (_able.Count == 0 || Violation is not null)
        {
            return null;
        }

        int chosen = strategy.Choose(_able, self is not null && _able.Contains(self.Number) ? self.Number : -1);
        Switches += chosen == _last ? 0 : 1;
        _last = chosen;
        Hash = (Hash ^ (uint)chosen) * 1099511628211;
        return _actors[chosen];
    }
}
