namespace Ambrosia.Bench.Processes;

/// <summary>Four processes in a row: a sender, its coordinator, the receiver's coordinator, the receiver.</summary>
internal interface ITopology : IAsyncDisposable
{
    /// <summary>The processes in that order.</summary>
    IReadOnlyList<Child> Processes { get; }

    /// <summary>Messages one way, as many as go through, for about <paramref name="seconds"/>.</summary>
    Task<Outcome> FloodAsync(int size, double seconds);

    /// <summary>Messages that are answered, <paramref name="outstanding"/> under way at a time, for about <paramref name="seconds"/>.</summary>
    Task<Outcome> CallAsync(int size, int outstanding, double seconds);
}
