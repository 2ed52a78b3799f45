namespace Ambrosia.Protocol.Ingress;

/// <summary>How arguments and results of a call from outside are written.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum IngressForm
{
    /// <summary>As between immortals: arguments are one array.</summary>
    MessagePack,

    /// <summary>JSON: arguments are an object by the names of the parameters.</summary>
    Json,
}
