namespace Ambrosia.Protocol;

/// <summary>How an RPC was sent.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum RpcKind : byte
{
    /// <summary>A reply comes back.</summary>
    Async = 0,

    /// <summary>Fire and forget.</summary>
    Fork = 1,

    /// <summary>From the outside world: at most once until logged.</summary>
    Impulse = 2,
}
