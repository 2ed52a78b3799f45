namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>How the two processes of a node are started.</summary>
internal enum Layout
{
    /// <summary>Coordinator and app each on its own; when one is gone the other waits for the next.</summary>
    Sidecar,

    /// <summary>As <see cref="Sidecar"/>, but the app ends when its coordinator is gone.</summary>
    Tied,

    /// <summary>The app starts its coordinator.</summary>
    Embedded,

    /// <summary>The coordinator runs in the app's process.</summary>
    InProcess,
}
