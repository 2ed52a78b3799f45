namespace Ambrosia.Coordinator.Settings;

/// <summary>What a coordinator does when its app ends.</summary>
public enum AppExitPolicy
{
    /// <summary>Wait for the next one, as a sidecar does; input is logged meanwhile.</summary>
    Wait,

    /// <summary>End as well (exit code 30), so that the supervisor of both starts both again.</summary>
    Stop,
}
