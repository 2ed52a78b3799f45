namespace Ambrosia.Coordinator.Outside;

/// <summary>Somebody outside, by the authenticated name.</summary>
internal sealed class OutsideCaller(string name)
{
    private Dictionary<KeyHash, OutsideLine>? _lines; // Of most callers only the horizon is left.
    private LinkedList<OutsideLine>? _byUse;

    /// <summary>The name.</summary>
    public string Name => name;

    /// <summary>
    /// Keys made up to here that are not kept are refused, in milliseconds since 1970. Never lowered (outside-calls.md X7).
    /// </summary>
    public ulong Horizon { get; set; }

    /// <summary>Its lines, by key.</summary>
    public Dictionary<KeyHash, OutsideLine> Lines => _lines ??= [];

    /// <summary>Its lines, the one that was used longest ago first.</summary>
    public LinkedList<OutsideLine> ByUse => _byUse ??= [];

    /// <summary>Whether it has lines.</summary>
    public bool HasLines => _lines is { Count: > 0 };

    /// <summary>Calls that are kept of it.</summary>
    public int Calls { get; set; }

    /// <summary>Bytes of their answers.</summary>
    public long AnswerBytes { get; set; }
}
