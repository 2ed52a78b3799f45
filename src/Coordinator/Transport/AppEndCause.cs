namespace Ambrosia.Coordinator.Transport;

/// <summary>Whose doing the end of an app was.</summary>
public enum AppEndCause
{
    /// <summary>Nobody can tell; it counts when the app had said what it begins.</summary>
    Unknown,

    /// <summary>The app's own: an exit, an abort, a fault.</summary>
    Own,

    /// <summary>Somebody killed it: it says nothing about messages.</summary>
    Outside,
}
