namespace Ambrosia.Coordinator.Settings;

/// <summary>What the store must hold at start.</summary>
public enum StartMode
{
    /// <summary>Recover what is there, or begin anew.</summary>
    Auto,

    /// <summary>Begin anew; an existing instance is an error.</summary>
    Create,

    /// <summary>Recover; a missing instance is an error. A mistyped folder then cannot start an empty twin.</summary>
    Recover,
}
