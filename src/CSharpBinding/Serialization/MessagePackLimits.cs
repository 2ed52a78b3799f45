namespace Ambrosia.Serialization;

/// <summary>Bounds that hold for every value read or written, so that bytes from a peer cannot exhaust the stack or the memory.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class MessagePackLimits
{
    /// <summary>Values within values, at most. Writing obeys the same bound, so whatever was written can be read.</summary>
    public const int MaxDepth = 64;

    /// <summary>
    /// Elements for which a collection reserves space before it has read them; more is reserved as they arrive. A count alone, which costs
    /// a sender five bytes, must not cost the receiver memory.
    /// </summary>
    public const int MaxInitialCapacity = 1024;
}
