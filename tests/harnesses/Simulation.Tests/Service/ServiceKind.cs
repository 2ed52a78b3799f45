namespace Ambrosia.Simulation.Tests;

/// <summary>After which service a simulated one is made.</summary>
internal enum ServiceKind
{
    /// <summary>As LogStore.Postgres: a process that takes a lease writes its token into all files that it guards, in one transaction; what
    /// is committed, is so under the leases that it needs.</summary>
    Database,

    /// <summary>As LogStore.Azure: each segment and manifest is taken by a request of its own, and what no condition guards is asked for
    /// after a proof of the lease, and may come when that is over.</summary>
    Blobs,
}
