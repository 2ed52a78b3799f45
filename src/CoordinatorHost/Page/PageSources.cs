using Ambrosia.Inspection;

namespace Ambrosia.CoordinatorHost.Page;

/// <summary>What the page shows besides logs.</summary>
public sealed record PageSources
{
    /// <summary>The body of <c>/status</c>; null when no coordinator answers.</summary>
    public required Func<CancellationToken, Task<string?>> Status { get; init; }

    /// <summary>The body of <c>/metrics</c>; null when no coordinator answers.</summary>
    public required Func<CancellationToken, Task<string?>> Metrics { get; init; }

    /// <summary>The body of <c>/waiting</c>; null when no coordinator answers.</summary>
    public required Func<CancellationToken, Task<string?>> Waiting { get; init; }

    /// <summary>Called before a log is described: its store may hold more names of methods than are known.</summary>
    public Func<PageLog, ValueTask> LookForNames { get; init; } = static _ => default;

    /// <summary>A replay that the page may move; null when it may only look.</summary>
    public IPageSession? Session { get; init; }
}
