namespace Ambrosia.Coordinator.Operations;

/// <summary>Counters since the start of the process; they only grow.</summary>
public sealed record TotalsStatus
{
    /// <summary>Messages logged.</summary>
    public long MessagesLogged { get; init; }

    /// <summary>Messages handed to the app, replayed ones included.</summary>
    public long MessagesDelivered { get; init; }

    /// <summary>Messages handed to other coordinators, repeated ones included.</summary>
    public long MessagesSent { get; init; }

    /// <summary>Records made durable.</summary>
    public long Records { get; init; }

    /// <summary>Bytes made durable.</summary>
    public long BytesLogged { get; init; }

    /// <summary>Connections lost to other coordinators.</summary>
    public long Disconnects { get; init; }

    /// <summary>Outputs dropped because their destination was away for too long.</summary>
    public long OutputsDropped { get; init; }

    /// <summary>Messages that their senders have dropped, and that never came.</summary>
    public long InputsMissed { get; init; }

    /// <summary>Apps attached.</summary>
    public long Attaches { get; init; }

    /// <summary>Ends of the app that were its own.</summary>
    public long AppDeaths { get; init; }

    /// <summary>Records whose replay sent other contents than the first time.</summary>
    public long ContentsDiffered { get; init; }

    /// <summary>Handlers that threw.</summary>
    public long HandlerFaults { get; init; }
}
