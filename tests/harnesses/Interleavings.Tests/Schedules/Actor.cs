namespace Ambrosia.Interleavings.Tests.Schedules;

/// <summary>One thread of the system under test: what it runs, what is posted to it, and what it waits for.</summary>
internal sealed class Actor : SynchronizationContext
{
    [ThreadStatic]
    private static Actor? t_self;

    private readonly Baton _baton;
    private readonly Func<Task> _body;
    private readonly Queue<(SendOrPostCallback Callback, object? State)> _posted = new();
    private readonly ActorThread _thread;
    private bool _idle;

    public Actor(Baton baton, int number, string name, Func<Task> body)
    {
        (_baton, Number, Name, _body) = (baton, number, name, body);
        _thread = ActorThread.Rent(Run);
    }

    /// <summary>The actor whose code runs on this thread; null on a thread that is none.</summary>
    public static Actor? Self => t_self;

    public int Number { get; }

    public string Name { get; }

    /// <summary>The lock that its next step takes.</summary>
    public object? Gate { get; set; }

    public bool Ended { get; private set; }

    public Exception? Failure { get; private set; }

    /// <summary>Whether it could move if it had the baton. Asked only while everybody stands still, on the thread of the one who has
    /// it.</summary>
    public bool Able => !Ended && (_idle ? _posted.Count > 0 : Gate is null || IsFree(Gate));

    public void GiveTurn() => _thread.GiveTurn();

    public void AwaitTurn() => _thread.AwaitTurn();

    public override void Post(SendOrPostCallback d, object? state)
    {
        lock (_posted)
        {
            _posted.Enqueue((d, state));
        }
    }

    public override void Send(SendOrPostCallback d, object? state) =>
        throw new NotSupportedException("Nobody may wait for an actor by blocking.");

    // A lock that this very thread holds can be entered again by it, but by nobody else.
    private static bool IsFree(object gate)
    {
        if (Monitor.IsEntered(gate) || !Monitor.TryEnter(gate))
        {
            return false;
        }

        Monitor.Exit(gate);
        return true;
    }

    private void Run()
    {
        t_self = this;
        SetSynchronizationContext(this);
        try
        {
            Task task = _body();
            while (!task.IsCompleted)
            {
                _idle = true;
                _baton.Pass(this);
                _idle = false;
                (SendOrPostCallback callback, object? state) = _posted.Dequeue();
                callback(state);
            }

            Failure = task.Exception?.InnerException;
        }
#pragma warning disable CA1031 // What the system under test throws is the schedule's result.
        catch (Exception error)
#pragma warning restore CA1031
        {
            Failure = error;
        }

        SetSynchronizationContext(null);
        t_self = null;
        Ended = true;
        _baton.End(this);
    }
}
