namespace Ambrosia.Testing.Virtual;

/// <summary>
/// Runs every process of a test's world on one thread, in an order drawn from a seed, under virtual time. Each context keeps its own
/// order, as the thread it stands for would; which context goes next is drawn.
/// </summary>
internal sealed class VirtualLoop(int seed)
{
    private readonly object _gate = new();
    private readonly List<VirtualContext> _ready = [];
    private readonly PriorityQueue<VirtualTimer, (long Due, long Order)> _timers = new();
    private long _order;

    /// <summary>Everything in the world that looks like chance.</summary>
    public Random Random { get; } = new Random(seed);

    /// <summary>Virtual time since the world began, in ticks of 100 ns.</summary>
    public long Now { get; private set; }

    /// <summary>Continuations run so far.</summary>
    public long Steps { get; private set; }

    /// <summary>An exception that no process of the world caught.</summary>
    public Exception? Escaped { get; set; }

    public void Enqueue(VirtualContext context)
    {
        lock (_gate)
        {
            _ready.Add(context);
        }
    }

    public void Schedule(VirtualTimer timer, long due)
    {
        lock (_gate)
        {
            timer.Due = due;
            _timers.Enqueue(timer, (due, _order++));
        }
    }

    /// <summary>Runs one continuation, if one is ready. Time does not pass.</summary>
    public bool RunOne()
    {
        VirtualContext? context = Draw();
        if (context is null)
        {
            // What left this thread (a few of .NET's own continuations) comes back at once; time must not pass meanwhile.
            SpinWait.SpinUntil(static () => ThreadPool.PendingWorkItemCount == 0, 20);
            context = Draw();
        }

        if (context is null)
        {
            return false;
        }

        Steps++;
        context.RunOne();
        return true;
    }

    /// <summary>Runs one continuation, or advances time to the next timer that is due by <paramref name="until"/>; false, with time there, when there is neither.</summary>
    public bool Step(long until) => RunOne() || FireNext(until);

    private VirtualContext? Draw()
    {
        lock (_gate)
        {
            if (_ready.Count == 0)
            {
                return null;
            }

            int index = Random.Next(_ready.Count);
            VirtualContext context = _ready[index];
            _ready[index] = _ready[^1];
            _ready.RemoveAt(_ready.Count - 1);
            return context;
        }
    }

    private bool FireNext(long until)
    {
        VirtualTimer timer;
        lock (_gate)
        {
            if (!_timers.TryPeek(out _, out (long Due, long Order) next) || next.Due > until)
            {
                Now = Math.Max(Now, until);
                return false;
            }

            timer = _timers.Dequeue();
            Now = Math.Max(Now, next.Due);
        }

        timer.Fire();
        return true;
    }
}
