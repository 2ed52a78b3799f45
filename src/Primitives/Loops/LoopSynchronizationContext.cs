namespace Ambrosia.Primitives.Loops;

/// <summary>Queue of continuations that one thread executes until its loop has ended.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class LoopSynchronizationContext : SynchronizationContext
{
    private const int CallbacksBetweenPolls = 64;

    // Looks at the descriptors before a loop lets its processor sleep; between two looks other threads have the processor. A message
    // passes six processes' loops on its way there and back, and waking a sleeping processor takes longer than all that they do with it.
    private const int LooksBeforeRest = 20;
    private readonly object _gate = new();
    private readonly Queue<(SendOrPostCallback Callback, object? State)> _ready = new();
    private LoopPoller? _poller;
    private bool _pollerTried;
    private bool _resting;
    private bool _ended;
    private volatile bool _hasReady; // _ready, seen without the gate.
    private bool _finished;

    /// <summary>Executes the loop on the calling thread and then completes <paramref name="ended"/> as the loop ended.</summary>
    public static void Run(Func<Task> loop, TaskCompletionSource ended)
    {
        var context = new LoopSynchronizationContext();
        SetSynchronizationContext(context);
        Task task;
        try
        {
            task = loop();
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            ended.SetException(error);
            return;
        }

        task.ContinueWith(static (_, state) => ((LoopSynchronizationContext)state!).End(), context, CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        context.RunUntilEnded();
        if (task.IsFaulted)
        {
            ended.SetException(task.Exception.InnerExceptions);
        }
        else if (task.IsCanceled)
        {
            ended.SetCanceled();
        }
        else
        {
            ended.SetResult();
        }
    }

    public override void Post(SendOrPostCallback d, object? state)
    {
        lock (_gate)
        {
            _ready.Enqueue((d, state));
            _hasReady = true;
            WakeIfResting();
        }
    }

    public override void Send(SendOrPostCallback d, object? state) =>
        throw new NotSupportedException("A loop is only posted to: a blocking call into it could wait for itself.");

    /// <summary>Waits for descriptors on this loop's thread; made when first asked for, on that thread.</summary>
    internal LoopPoller? Poller
    {
        get
        {
            if (!_pollerTried)
            {
                _pollerTried = true;
                _poller = LoopPoller.TryCreate();
            }

            return _poller;
        }
    }

    private void End()
    {
        lock (_gate)
        {
            _ended = true;
            WakeIfResting();
        }
    }

    // Called with the gate held.
    private void WakeIfResting()
    {
        if (!_resting)
        {
            return;
        }

        _resting = false;
        if (_poller is null)
        {
            Monitor.Pulse(_gate);
        }
        else
        {
            _poller.Wake();
        }
    }

    private void RunUntilEnded()
    {
        int untilPoll = CallbacksBetweenPolls;
        while (!_finished)
        {
            if (TryTake(out (SendOrPostCallback Callback, object? State) next))
            {
                next.Callback(next.State);
            }
            else
            {
                Rest();
            }

            if (_poller is not null && --untilPoll <= 0)
            {
                // A busy loop must not keep its descriptors waiting.
                untilPoll = CallbacksBetweenPolls;
                _poller.Poll(0);
            }
        }

        _poller?.Close();
    }

    private bool TryTake(out (SendOrPostCallback Callback, object? State) next)
    {
        lock (_gate)
        {
            _hasReady = _ready.Count > 1;
            return _ready.TryDequeue(out next);
        }
    }

    private void Rest()
    {
        for (int i = 0; _poller is not null && i < LooksBeforeRest; i++)
        {
            _poller.Poll(0);
            if (_hasReady)
            {
                return;
            }

            Thread.Yield();
        }

        lock (_gate)
        {
            if (_ready.Count > 0)
            {
                return;
            }

            if (_ended)
            {
                _finished = true;
                return;
            }

            _resting = true;
            while (_poller is null && _resting)
            {
                Monitor.Wait(_gate);
            }
        }

        if (_poller is not null)
        {
            _poller.Poll(-1);
            lock (_gate)
            {
                _resting = false;
            }
        }
    }
}
