namespace Ambrosia.Coordinator.Upgrades;

/// <summary>
/// The last attempt of another app to take the place of the one that is attached, or of an app to upgrade the state that it found.
/// </summary>
public sealed record UpgradeStatus
{
    /// <summary>
    /// "" none since the start, following, converting, committed (the new version is the one, and about to act), done, failed.
    /// </summary>
    public string State { get; init; } = "";

    /// <summary>Version of the state before; "" unless committed or done.</summary>
    public string From { get; init; } = "";

    /// <summary>Version behind it.</summary>
    public string To { get; init; } = "";

    /// <summary>The last record that the old version executed.</summary>
    public ulong Lsn { get; init; }

    /// <summary>From the moment when the old app was held until the new one acted, in milliseconds.</summary>
    public double SilenceMilliseconds { get; init; }

    /// <summary>Why it failed.</summary>
    public string Text { get; init; } = "";
}
