namespace Ambrosia.Protocol;

/// <summary>Between whom a run of messages travels.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum RunOrigin
{
    /// <summary>From an immortal to itself.</summary>
    Own,

    /// <summary>From one instance to another.</summary>
    Foreign,
}
