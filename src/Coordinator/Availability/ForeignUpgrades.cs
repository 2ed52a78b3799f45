using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Serving;

namespace Ambrosia.Coordinator.Availability;

/// <summary>Upgrades by other processes with the same log.</summary>
internal static class ForeignUpgrades
{
    /// <summary>Requires that no newer checkpoint commits an upgrade that this process has not read.</summary>
    public static ValueTask RequireNoneAsync(CoreParts parts) => CommittedVersion.RequireKnownAsync(
        parts.Log, parts.State.Upgrades, parts.Options.InstanceName, build =>
        {
            parts.State.Upgrades.Apply(build); // Also for an app that has not compared yet.
            parts.AppServer.Session?.Builds?.Followed(build);
        });
}
