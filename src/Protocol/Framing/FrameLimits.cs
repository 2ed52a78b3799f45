namespace Ambrosia.Protocol;

/// <summary>Limits that hold before anything is allocated.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class FrameLimits
{
    /// <summary>Largest body of Hello, Answer, Trim, Heartbeat and Goodbye, in bytes.</summary>
    public const int SmallBody = 4096;

    /// <summary>Bytes of a batch body in front of its messages, at most: four varints.</summary>
    public const int BatchPrefix = 4 * Varint.MaxSize64;

    /// <summary>
    /// Indexes of destinations that an app's connection has at once. A binding gives an index a new meaning before it takes one more; a
    /// coordinator keeps no more. The number of destinations has no limit.
    /// </summary>
    public const int DestinationIndexes = 65536;

    /// <summary>Longest string in a handshake, in bytes.</summary>
    public const int HandshakeString = 1024;
}
