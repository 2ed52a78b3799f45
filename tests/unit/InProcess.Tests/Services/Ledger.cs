using System.Collections.Concurrent;

namespace Ambrosia.InProcess.Tests.Services;

/// <summary>A service of a host: it hears of each process that acts for a clerk.</summary>
public sealed class Ledger
{
    private readonly TaskCompletionSource<ClerkProxy> _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Classes of the objects that were told to act, in order.</summary>
    public ConcurrentQueue<string> Openings { get; } = new();

    /// <summary>The way to the first clerk.</summary>
    public Task<ClerkProxy> Clerk => _opened.Task;

    public void Open(Immortal clerk, ClerkProxy self)
    {
        Openings.Enqueue(clerk.GetType().Name);
        _opened.TrySetResult(self);
    }
}
