namespace Ambrosia.Coordinator.Upgrades;

/// <summary>An app does not replace the attached one, which goes on.</summary>
internal sealed class UpgradeAbandonedException(string reason) : Exception(reason);
