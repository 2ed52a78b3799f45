namespace EndToEnd;

/// <summary>State of a node as the auditor wants it.</summary>
public sealed record NodeReport
{
    /// <summary>Version of the code that made it.</summary>
    public int Version { get; init; }

    /// <summary>Times that OnFirstStart ran.</summary>
    public int FirstStarts { get; init; }

    /// <summary>Requests that have begun, and those that have ended.</summary>
    public long Begun { get; init; }

    public long Ended { get; init; }

    /// <summary>Every effect, as "request effect", with the times that it happened.</summary>
    public Dictionary<string, int> Effects { get; init; } = [];

    /// <summary>What must never be: gaps, repetitions, broken references, wrong values. Empty.</summary>
    public List<string> Violations { get; init; } = [];

    /// <summary>Messages received from each node, and sent to each.</summary>
    public Dictionary<string, long> Received { get; init; } = [];

    public Dictionary<string, long> Sent { get; init; } = [];

    /// <summary>Impulses of other nodes by the life of the process that sent them: number of the last, and how many.</summary>
    public Dictionary<string, long> LastTold { get; init; } = [];

    public Dictionary<string, long> CountTold { get; init; } = [];

    /// <summary>Bytes held by <c>Grow</c>, and a checksum over them.</summary>
    public long Held { get; init; }

    public long HeldSum { get; init; }
}
