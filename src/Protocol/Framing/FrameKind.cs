namespace Ambrosia.Protocol;

/// <summary>Frames between coordinators. Numbers are never reused.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum FrameKind : byte
{
    /// <summary>First frame of a connection, from the side that dialled: who I am.</summary>
    Hello = 1,

    /// <summary>The receiver's durable watermark and epoch: resume after it.</summary>
    Answer = 2,

    /// <summary>Messages, on the data connection.</summary>
    Batch = 3,

    /// <summary>The receiver's durable watermark, on the control connection: trim up to it.</summary>
    Trim = 4,

    /// <summary>Nothing to say, still here; on the control connection, both ways.</summary>
    Heartbeat = 5,

    /// <summary>The connection ends: a code, whether to retry, and a sentence.</summary>
    Goodbye = 6,

    /// <summary>On the data connection of version 2: messages that will never come.</summary>
    Gap = 7,
}
