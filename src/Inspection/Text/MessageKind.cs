namespace Ambrosia.Inspection.Text;

/// <summary>What a message is. Numbers as the index keeps them.</summary>
public enum MessageKind : byte
{
    /// <summary>A call whose reply is awaited.</summary>
    Call,

    /// <summary>A call without a reply.</summary>
    Fork,

    /// <summary>An input from outside.</summary>
    Impulse,

    /// <summary>A durable timer that is due.</summary>
    Timer,

    /// <summary>The answer to a call.</summary>
    Reply,

    /// <summary>The answer to a call whose handler threw.</summary>
    Exception,
}
