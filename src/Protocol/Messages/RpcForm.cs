namespace Ambrosia.Protocol;

/// <summary>First byte of an RPC's data: a call, or one of the three replies.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum RpcForm : byte
{
    /// <summary>A call.</summary>
    Call = 0,

    /// <summary>A reply with a value.</summary>
    Value = 1,

    /// <summary>A reply without a value.</summary>
    Void = 2,

    /// <summary>A reply that carries an exception.</summary>
    Exception = 3,
}
