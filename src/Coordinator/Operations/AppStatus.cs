namespace Ambrosia.Coordinator.Operations;

/// <summary>State of the app and its link.</summary>
public sealed record AppStatus
{
    /// <summary>True while an app is attached.</summary>
    public bool Attached { get; init; }

    /// <summary>Name and version of its binding.</summary>
    public string Binding { get; init; } = "";

    /// <summary>Version that the app reports.</summary>
    public string Version { get; init; } = "";

    /// <summary>Version of its state, as it calls it; "" if it has not said so.</summary>
    public string StateVersion { get; init; } = "";

    /// <summary>Last record whose messages it has all finished.</summary>
    public ulong Lsn { get; init; }

    /// <summary>Bytes of log that it has yet to see.</summary>
    public long LagBytes { get; init; }

    /// <summary>True while its senders are being slowed because of <c>--max-lag</c>.</summary>
    public bool HoldsInput { get; init; }

    /// <summary>Which message has killed it so often that it is not let in; empty otherwise.</summary>
    public string OnHold { get; init; } = "";

    /// <summary>Message that it has been executing for longer than <c>--watchdog</c>; empty otherwise.</summary>
    public string Stuck { get; init; } = "";

    /// <summary>Seconds that it has not moved although there is something to execute.</summary>
    public double TurnSeconds { get; init; }

    /// <summary>Quarantined messages that are kept.</summary>
    public int DeadLetters { get; init; }

    /// <summary>Its effects, by method; empty if it has asked for none, or does not tell.</summary>
    public IReadOnlyList<EffectStatus> Effects { get; init; } = [];

    /// <summary>Its schedules, by name; empty if it has none, or does not tell.</summary>
    public IReadOnlyList<ScheduleStatus> Schedules { get; init; } = [];

    /// <summary>Its sagas that compensate; empty if none does, or it does not tell.</summary>
    public IReadOnlyList<CompensationStatus> Compensations { get; init; } = [];
}
