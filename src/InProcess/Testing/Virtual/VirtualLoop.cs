namespace Ambrosia.Testing.Virtual;

/// <summary>
/// Runs every process of a test's world on one thread, in an order drawn from a seed, under virtual time. Each context keeps its own
/// order, as the thread it stands for would; which context goes next is drawn.
/// </summary>
/// <param name="seed">Decides everything that looks like chance.</param>
/// <param name="strict"> True where only our own code runs: then nothing may leave the thread, and whatever does is remembered in
/// <see cref="Strayed"/>. False where users' code runs, which may use the thread pool: it is waited for.
/// </param>
internal sealed class VirtualLoop(int seed, bool strict = false)
{
    private readonly object _gate = new();
    private readonly List<VirtualContext> _ready = [];
    private readonly PriorityQueue<VirtualTimer, (long Due, long Order)> _timers = new();
    private readonly int _thread = Environment.CurrentManagedThreadId;
    private long _order;
    private int _contexts;

    /// <summary>Everything in the world that looks like chance.</summary>
    public Random Random { get; } = new Random(seed);

    /// <summary>Virtual time since the world began, in ticks of 100 ns.</summary>
    public long Now { get; private set; }

    /// <summary>Continuations run so far.</summary>
    public long Steps { get; private set; }

    /// <summary>Hash of everything that was run and noted so far, in its order: equal for equal seeds.</summary>
    public ulong TraceHash { get; private set; } = 0xCBF29CE484222325;

    /// <summary>An exception that no process of the world caught.</summary>
    public Exception? Escaped { get; set; }

    /// <summary>Where a strict world was entered from another thread; null if it never was.</summary>
    public string? Strayed { get; private set; }

    /// <summary>Makes something part of <see cref="TraceHash"/>.</summary>
    public void Note(ulong value)
    {
        ulong hash = (TraceHash ^ value) * 0x9E3779B97F4A7C15;
        TraceHash = hash ^ (hash >> 29);
    }

    public int NextContext() => Interlocked.Increment(ref _contexts);

    /// <summary>Called wherever another thread could come in.</summary>
    public void CheckThread()
    {
        if (strict && Environment.CurrentManagedThreadId != _thread)
        {
            Strayed ??= Environment.StackTrace;
        }
    }

    public void Enqueue(VirtualContext context)
    {
        lock (_gate)
        {
            _ready.Add(context);
        }
    }

    public void Schedule(VirtualTimer timer, long due)
    {
        CheckThread();
        lock (_gate)
        {
            timer.Due = due;
            _timers.Enqueue(timer, (due, _order++));
        }
    }

    /// <summary>No thread has anything to do until time passes.</summary>
    public bool IsQuiet => _ready.Count == 0;

    /// <summary>Runs one continuation, if one is ready. Time does not pass.</summary>
    public bool RunOne()
    {
        VirtualContext? context = Draw();
        if (context is null && !strict)
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
        Note((ulong)Now ^ ((ulong)context.Number << 48));
        context.RunOne();
        return true;
    }

    /// <summary>
    /// Runs one continuation, or advances time to the next timer that is due by <paramref name="until"/>; false, with time there, when
    /// there is neither.
    /// </summary>
    public bool Step(long until) => RunOne() || FireNext(until);

    private VirtualContext? Draw()
    {
        lock (_gate)
        {
            while (_ready.Count > 0)
            {
                int index = _ready.Count == 1 ? 0 : Random.Next(_ready.Count);
                VirtualContext context = _ready[index];
                _ready[index] = _ready[^1];
                _ready.RemoveAt(_ready.Count - 1);
                if (!context.Process.TryPark(context))
                {
                    return context;
                }
            }

            return null;
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
