namespace Ambrosia.Protocol;

/// <summary>What the coordinator is about to do with the app that attached.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum BindingMode : byte
{
    /// <summary>No state yet: the app makes its first checkpoint.</summary>
    FirstStart = 0,

    /// <summary>Checkpoint and log are replayed after a restart of the coordinator.</summary>
    Recover = 1,

    /// <summary>Checkpoint and log are replayed to a new app by a coordinator that lived on.</summary>
    Reattach = 2,

    /// <summary>Follows the live log; does not act.</summary>
    Secondary = 3,

    /// <summary>Time-travel debugging or a retroactive test; never acts.</summary>
    Debug = 4,

    /// <summary>Recovers with the old code, then converts the state.</summary>
    Upgrade = 5,
}
