namespace Ambrosia.InProcess;

/// <summary>How coordinators of this process are reached by others.</summary>
public enum PeerLinks
{
    /// <summary>
    /// By TCP, as the coordinator's option <c>--peer-address</c> says: from this process, from others, from other machines. The default.
    /// </summary>
    Tcp,

    /// <summary>By pipes in memory: from this process only, and without a port.</summary>
    Memory,
}
