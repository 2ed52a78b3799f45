using Ambrosia.Coordinator.Operations;


namespace Ambrosia.CoordinatorHost;

/// <summary>One immortal's core as its host sees it.</summary>
public interface IServedCore
{
    /// <summary>What people may see and ask.</summary>
    ICoordinatorStatus Status { get; }

    /// <summary>Recovers and serves until asked to stop, then drains. Runs on a single-threaded context.</summary>
    Task RunAsync(CancellationToken stop);
}
