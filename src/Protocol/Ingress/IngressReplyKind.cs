namespace Ambrosia.Protocol.Ingress;

/// <summary>What a call from outside is told.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum IngressReplyKind
{
    /// <summary>It is in the log, and its answer is not there yet.</summary>
    Accepted,

    /// <summary>Its handler has ended, and gives nothing back.</summary>
    Nothing,

    /// <summary>What its handler gives back.</summary>
    MessagePack,

    /// <summary>The same as JSON.</summary>
    Json,

    /// <summary>Its handler threw.</summary>
    Exception,
}
