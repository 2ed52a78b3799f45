namespace Ambrosia.Coordinator.Upgrades;

/// <summary>An app does not take over; the one that it was to replace goes on.</summary>
internal sealed class UpgradeAbandonedException(string reason) : Exception(reason);
