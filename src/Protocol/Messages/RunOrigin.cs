namespace Ambrosia.Protocol;

/// <summary>The two instances between which a run of messages travels.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum RunOrigin
{
    /// <summary>From an immortal to itself.</summary>
    Own,

    /// <summary>From one instance to another.</summary>
    Foreign,
}
