namespace Ambrosia.Coordinator.Upgrades;

/// <summary>How far an attempt to upgrade has come.</summary>
internal enum UpgradePhase
{
    /// <summary>There was none since the start.</summary>
    None,

    /// <summary>The new app executes what the old one has executed.</summary>
    Following,

    /// <summary>The old app is held, and the new one converts the state.</summary>
    Converting,

    /// <summary>The new version is the one, and about to act.</summary>
    Committed,

    /// <summary>The new version acts.</summary>
    Done,

    /// <summary>The old version goes on.</summary>
    Failed,
}
