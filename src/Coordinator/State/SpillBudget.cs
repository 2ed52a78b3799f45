
namespace Ambrosia.Coordinator.State;

/// <summary>
/// Bytes that all scratch files of an instance may hold together, shared out among its destinations: each may hold as much as all of them
/// leave free. One that is away gets half, two get a third each, and there is always room left for the others. Past its share the app
/// waits when it sends to that destination again: the last of the limits (docs/internals/exactly-once.md H18).
/// </summary>
internal sealed class SpillBudget(long limit)
{
    private readonly ContextEvent _space = new();
    private readonly List<string> _awaited = [];

    public long Used { get; private set; }

    public long Limit { get; } = limit;

    /// <summary>The app waits for some destination.</summary>
    public bool HoldsApp => _awaited.Count > 0;

    /// <summary>The destinations that the app waits for.</summary>
    public IReadOnlyList<string> Awaited => _awaited;

    /// <summary>Raised when the app begins to wait.</summary>
    public event Action? Filled;

    /// <summary>Whether a destination with so many bytes has used up its share. One that has none is never held up by the others.</summary>
    public bool IsUsedUp(long bytes) => bytes > 0 && bytes >= Limit - Used;

    public void Take(long bytes) => Used += bytes;

    public void Return(long bytes)
    {
        Used -= bytes;
        if (HoldsApp)
        {
            _space.Pulse();
        }
    }

    /// <summary>Completes when the destination is within its share.</summary>
    public async Task WaitForSpaceAsync(OutputBuffer buffer, CancellationToken cancellationToken)
    {
        _awaited.Add(buffer.Destination);
        Filled?.Invoke();
        try
        {
            while (IsUsedUp(buffer.SpilledBytes))
            {
                await FirstOf.OrCancelAsync(_space.WaitAsync(), cancellationToken);
            }
        }
        finally
        {
            _awaited.Remove(buffer.Destination);
        }
    }
}
