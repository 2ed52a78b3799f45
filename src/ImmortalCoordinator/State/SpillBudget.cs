using Ambrosia.ImmortalCoordinator.Core;

namespace Ambrosia.ImmortalCoordinator.State;

/// <summary>Bytes that all scratch files of an instance may hold together. Past it the app waits: the last of the limits (PROTOCOL H18).</summary>
internal sealed class SpillBudget(long limit)
{
    private readonly ContextEvent _space = new();

    public long Used { get; private set; }

    public long Limit { get; } = limit;

    public bool Exhausted => Used >= Limit;

    /// <summary>Raised when there is no room any more.</summary>
    public event Action? Filled;

    public void Take(long bytes)
    {
        bool before = Exhausted;
        Used += bytes;
        if (Exhausted && !before)
        {
            Filled?.Invoke();
        }
    }

    public void Return(long bytes)
    {
        Used -= bytes;
        if (!Exhausted)
        {
            _space.Pulse();
        }
    }

    /// <summary>Completes when there is room again.</summary>
    public async Task WaitForSpaceAsync(CancellationToken cancellationToken)
    {
        while (Exhausted)
        {
            await FirstOf.OrCancelAsync(_space.WaitAsync(), cancellationToken);
        }
    }
}
