using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Sessions;

namespace Ambrosia.CoordinatorHost;

/// <summary>One immortal's core as its host sees it.</summary>
public interface IServedCore
{
    /// <summary>What people may see and ask.</summary>
    ICoordinatorStatus Status { get; }

    /// <summary>Where calls from outside enter.</summary>
    IOutsideEntrance Outside { get; }

    /// <summary>Where awakeables are completed.</summary>
    IAwakeableEntrance Awakeables { get; }

    /// <summary>What the app's methods take and return.</summary>
    AppShapes Shapes { get; }

    /// <summary>Recovers and serves until asked to stop, then drains. Runs on a single-threaded context.</summary>
    Task RunAsync(CancellationToken stop);
}
