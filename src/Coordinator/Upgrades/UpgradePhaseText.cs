namespace Ambrosia.Coordinator.Upgrades;

/// <summary>The words for people and in status.</summary>
internal static class UpgradePhaseText
{
    /// <summary>The word for a phase; "" for none.</summary>
    public static string Text(this UpgradePhase phase) => phase switch
    {
        UpgradePhase.None => "",
        UpgradePhase.Following => "following",
        UpgradePhase.Converting => "converting",
        UpgradePhase.Committed => "committed",
        UpgradePhase.Done => "done",
        _ => "failed",
    };
}
