using Ambrosia.Coordinator.Upgrades;

namespace Ambrosia.Coordinator.Operations;

/// <summary>One picture of a coordinator: the body of <c>/status</c>, in JSON with these names in camel case.</summary>
public sealed record CoordinatorStatus
{
    /// <summary>Name of the immortal.</summary>
    public required string Instance { get; init; }

    /// <summary>Id that the log was made with; empty before it is known.</summary>
    public string InstanceId { get; init; } = "";

    /// <summary>Name of the cluster.</summary>
    public string Cluster { get; init; } = "";

    /// <summary>Version of the coordinator.</summary>
    public string Version { get; init; } = "";

    /// <summary>What it is doing: starting, recovering, primary, secondary, draining, stopped.</summary>
    public required string Role { get; init; }

    /// <summary>Number of this replica; null when there is only one.</summary>
    public int? Replica { get; init; }

    /// <summary>
    /// True when it serves: primary with an attached app, or a secondary that has caught up. False while the app has not moved for longer
    /// than <c>--watchdog</c>.
    /// </summary>
    public bool Ready { get; init; }

    /// <summary>Why it is not ready, in words; empty when it is.</summary>
    public string NotReadyReason { get; init; } = "";

    /// <summary>Epoch of leadership; 0 before the right to append was acquired.</summary>
    public ulong Epoch { get; init; }

    /// <summary>Where other coordinators connect to.</summary>
    public string PeerAddress { get; init; } = "";

    /// <summary>Where an app attaches, as its option --binding-socket; "" if only by the published protocol.</summary>
    public string BindingAddress { get; init; } = "";

    /// <summary>Seconds since the process began to serve this instance.</summary>
    public double UptimeSeconds { get; init; }

    /// <summary>Seconds of the last recovery: from the start, or from the loss of the app, until the app was primary; 0 before.</summary>
    public double RecoverySeconds { get; init; }

    /// <summary>The log.</summary>
    public LogStatus Log { get; init; } = new();

    /// <summary>The app.</summary>
    public AppStatus App { get; init; } = new();

    /// <summary>All instances that send to this one.</summary>
    public IReadOnlyList<InputStatus> Inputs { get; init; } = [];

    /// <summary>Everybody this instance sends to.</summary>
    public IReadOnlyList<OutputStatus> Outputs { get; init; } = [];

    /// <summary>Calls from outside.</summary>
    public OutsideStatus Outside { get; init; } = new();

    /// <summary>Checkpoints.</summary>
    public CheckpointStatus Checkpoints { get; init; } = new();

    /// <summary>The last upgrade of the app's state.</summary>
    public UpgradeStatus Upgrade { get; init; } = new();

    /// <summary>What happened since the start of the process.</summary>
    public TotalsStatus Totals { get; init; } = new();
}
