namespace Ambrosia.Protocol.Ingress;

/// <summary>How a request completes an awakeable.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum IngressAwakeableForm
{
    /// <summary>It does not say.</summary>
    None,

    /// <summary>With a value as between immortals.</summary>
    MessagePack,

    /// <summary>With a value as JSON.</summary>
    Json,

    /// <summary>It rejects it.</summary>
    Rejection,
}
