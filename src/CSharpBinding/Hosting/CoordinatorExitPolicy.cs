namespace Ambrosia;

/// <summary>What an app does whose coordinator is gone.</summary>
public enum CoordinatorExitPolicy
{
    /// <summary>It ends within a second; whoever started it starts both again. The default.</summary>
    Stop,

    /// <summary>It waits for a coordinator, attaches to it and is rebuilt from checkpoint and log. Only with a coordinator that the app did not start itself.</summary>
    Wait,
}
