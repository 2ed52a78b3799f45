namespace Ambrosia;

/// <summary>What an app does when a coordinator is gone that it did not start itself. One that it did start, it starts again.</summary>
public enum CoordinatorExitPolicy
{
    /// <summary>It ends within a second; its supervisor starts both again. The default.</summary>
    Stop,

    /// <summary>It waits for a coordinator, attaches to it and is rebuilt from checkpoint and log.</summary>
    Wait,
}
