using Ambrosia.Primitives.Loops;

namespace Ambrosia.Runtime;

/// <summary>
/// Where the app's code runs that is no turn: on the thread pool. Only an app with a thread of its own gets others, though: a test host
/// runs everything on one, in virtual time.
/// </summary>
internal sealed class OutsideTurns
{
    private readonly SynchronizationContext? _context;

    /// <summary>To be made where the session runs.</summary>
    public OutsideTurns()
    {
        SynchronizationContext? context = SynchronizationContext.Current;
        _context = context is LoopSynchronizationContext ? null : context;
    }

    public void Post(Action action)
    {
        if (_context is null)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static action => ((Action)action!)(), action);
        }
        else
        {
            _context.Post(static action => ((Action)action!)(), action);
        }
    }

    /// <summary>Runs something there, and ends as it does, where that ends.</summary>
    public async Task RunAsync(Func<Task> action)
    {
        await new OutsideEntry(this);
        await action();
    }
}
