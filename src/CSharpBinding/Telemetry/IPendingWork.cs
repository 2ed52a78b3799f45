namespace Ambrosia.Telemetry;

/// <summary>What waits in an immortal that acts. Read by threads that collect metrics; a figure may be a turn old.</summary>
internal interface IPendingWork
{
    /// <summary>Name of the immortal.</summary>
    string Instance { get; }

    /// <summary>Calls whose replies are awaited.</summary>
    int PendingCalls { get; }

    /// <summary>Durable timers that have not fired.</summary>
    int PendingTimers { get; }

    /// <summary>Effects whose outcome is awaited.</summary>
    int PendingEffects { get; }
}
