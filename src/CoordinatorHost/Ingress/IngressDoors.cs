using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Sessions;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>Where requests of the address for calls from outside enter the core.</summary>
/// <param name="Calls">Where calls enter.</param>
/// <param name="Awakeables">Where awakeables are completed.</param>
/// <param name="Query">Asks the app a query.</param>
/// <param name="Told">What the app's methods take and return.</param>
public sealed record IngressDoors(
    IOutsideEntrance Calls, IAwakeableEntrance Awakeables, Func<AppQuery, CancellationToken, Task<AppAnswer>> Query, AppShapes Told)
{
    /// <summary>Whether the log is in memory only, so that the next process knows no key of this one.</summary>
    public bool LogEndsWithProcess { get; init; }
}
