using Ambrosia.CoordinatorHost.Options;


namespace Ambrosia.InProcess;

/// <summary>How coordinators inside the app's process are set up.</summary>
public sealed class InProcessOptions
{
    /// <summary>
    /// Where logs and checkpoints are, for immortals that are not told otherwise by <c>--store</c>: <c>file:/folder</c>, or
    /// <c>memory:</c>, which lives as long as the process's <see cref="InProcessCoordinator"/>. Default "": as for a coordinator of its
    /// own.
    /// </summary>
    public string Store { get; set; } = "";

    /// <summary>
    /// Where immortals find each other: <c>file:/folder</c>, or <c>memory:</c> within this process. Default "": as for a coordinator of
    /// its own.
    /// </summary>
    public string Catalog { get; set; } = "";

    /// <summary>How others reach these coordinators. Default <see cref="PeerLinks.Tcp"/>.</summary>
    public PeerLinks Peers { get; set; }

    /// <summary>Changes any option of the coordinator of an immortal, after everything else was read. Default: nothing.</summary>
    public Action<CoordinatorOptions>? Configure { get; set; }
}
