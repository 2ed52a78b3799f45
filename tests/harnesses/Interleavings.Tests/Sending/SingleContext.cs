namespace Ambrosia.Interleavings.Tests.Sending;

/// <summary>The context of one life of a sender: continuations in order, none once it is dead.</summary>
internal sealed class SingleContext : SynchronizationContext
{
    private readonly Queue<(SendOrPostCallback Callback, object? State)> _ready = new();

    public bool Dead { get; set; }

    /// <summary>What escaped from it.</summary>
    public Exception? Escaped { get; private set; }

    public override void Post(SendOrPostCallback d, object? state) => _ready.Enqueue((d, state));

    public override void Send(SendOrPostCallback d, object? state) => throw new NotSupportedException("A context is only posted to.");

    /// <summary>Runs a piece of code as the core would run it, and everything that becomes ready by it.</summary>
    public void Run(Func<Task> work)
    {
        Post(async _ =>
        {
            try
            {
                await work();
            }
#pragma warning disable CA1031 // Whatever escapes is the schedule's result.
            catch (Exception error)
#pragma warning restore CA1031
            {
                Escaped ??= error;
            }
        }, null);
        Drain();
    }

    public void Drain()
    {
        SynchronizationContext? before = Current;
        SetSynchronizationContext(this);
        while (!Dead && _ready.TryDequeue(out (SendOrPostCallback Callback, object? State) next))
        {
            next.Callback(next.State);
        }

        SetSynchronizationContext(before);
    }
}
