namespace Ambrosia.Coordinator.Context;

/// <summary>Figures of a running core since its start. Written and read on the core's context.</summary>
internal sealed class CoreCounters
{
    public ulong AppExecuted { get; set; }

    public int AppIndex { get; set; }

    public long Records { get; set; }

    public long MessagesLogged { get; set; }

    public long BytesLogged { get; set; }

    public long MessagesDelivered { get; set; }

    public long HandlerFaults { get; set; }

    public long ContentsDiffered { get; set; }

    public long Attaches { get; set; }

    public long AppDeaths { get; set; }

    /// <summary>Why the app is not let in; empty while it is.</summary>
    public string Hold { get; set; } = "";

    /// <summary>What the app is stuck in; empty while it moves.</summary>
    public string Stuck { get; set; } = "";

    public double StuckSeconds { get; set; }

    /// <summary>It has not moved for longer than <c>--watchdog</c>.</summary>
    public bool IsLate { get; set; }

    public int DeadLetters { get; set; }

    /// <summary>Outputs dropped since the start, impulses counted.</summary>
    public long Dropped { get; set; }

    /// <summary>Messages that senders have dropped and this instance will never get, since the start.</summary>
    public long Missed { get; set; }

    /// <summary>From the start, or the loss of the app, until the app last became primary.</summary>
    public double RecoverySeconds { get; set; }

    public string PeerAddress { get; set; } = "";
}
