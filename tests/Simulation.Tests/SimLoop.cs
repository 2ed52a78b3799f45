namespace Ambrosia.Simulation.Tests;

/// <summary>
/// Runs every process of a simulated cluster on one thread, in an order drawn from a seed, under virtual time. Each context keeps
/// its own order, as the thread it stands for would; which context goes next is drawn.
/// </summary>
internal sealed class SimLoop(int seed)
{
    private readonly object _gate = new();
    private readonly List<SimContext> _ready = [];
    private readonly PriorityQueue<SimTimer, (long Due, long Order)> _timers = new();
    private long _order;

    public Random Random { get; } = new(seed);

    /// <summary>Virtual time in ticks of 100 ns.</summary>
    public long Now { get; private set; } = TimeSpan.TicksPerDay;

    public long Steps { get; private set; }

    /// <summary>An exception that escaped from a simulated process: a bug of the system or of the simulation.</summary>
    public Exception? Escaped { get; set; }

    public void Enqueue(SimContext context)
    {
        lock (_gate)
        {
            _ready.Add(context);
        }
    }

    public void Schedule(SimTimer timer, long due)
    {
        lock (_gate)
        {
            timer.Due = due;
            _timers.Enqueue(timer, (due, _order++));
        }
    }

    /// <summary>Runs one continuation, or advances time to the next timer that is due before <paramref name="until"/>; false when there is neither.</summary>
    public bool Step(long until)
    {
        SimContext? context = Draw();
        if (context is null)
        {
            // What left this thread (a few library continuations) comes back at once; time must not pass meanwhile.
            SpinWait.SpinUntil(() => ThreadPool.PendingWorkItemCount == 0, 20);
            context = Draw();
        }

        if (context is not null)
        {
            Steps++;
            context.RunOne();
            return true;
        }

        return FireNext(until);
    }

    private SimContext? Draw()
    {
        lock (_gate)
        {
            if (_ready.Count == 0)
            {
                return null;
            }

            int index = Random.Next(_ready.Count);
            SimContext context = _ready[index];
            _ready[index] = _ready[^1];
            _ready.RemoveAt(_ready.Count - 1);
            return context;
        }
    }

    private bool FireNext(long until)
    {
        SimTimer timer;
        lock (_gate)
        {
            if (!_timers.TryPeek(out _, out (long Due, long Order) next) || next.Due > until)
            {
                Now = Math.Max(Now, until == long.MaxValue ? Now : until);
                return false;
            }

            timer = _timers.Dequeue();
            Now = Math.Max(Now, next.Due);
        }

        timer.Fire();
        return true;
    }
}
