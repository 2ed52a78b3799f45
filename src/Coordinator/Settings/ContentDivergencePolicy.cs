namespace Ambrosia.Coordinator.Settings;

/// <summary>
/// What a coordinator does when a replay sends other contents than the log knows of, to the same destinations and in the same number.
/// </summary>
public enum ContentDivergencePolicy
{
    /// <summary>Say so, count it, and go on: what was logged first counts.</summary>
    Warn,

    /// <summary>End with IC-6001, as for other destinations or counts.</summary>
    Stop,
}
